//! The figures as SVG.

use super::{Detection, Distance, Rates};
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Figure 4: three groups of links by the loss between the stations; darker is farther.
///
/// # Errors
///
/// If the file cannot be written.
pub fn plot_distance(path: &Path, distances: &[Distance]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, (1200, 420)).into_drawing_area();
    area.fill(&WHITE)?;
    let groups = [(0.0, 0.17, "loss 0 to 0.15"), (0.17, 0.37, "0.2 to 0.35"), (0.37, 0.51, "0.4 to 0.5")];
    for (panel, (least, below, words)) in area.split_evenly((1, 3)).iter().zip(groups) {
        let mut chart = ChartBuilder::on(panel)
            .caption(format!("Jaccard distance, {words} between the stations"), ("sans-serif", 15))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(50)
            .build_cartesian_2d(-0.025..0.525, -0.025..0.525)?;
        chart.configure_mesh().x_desc("loss device to sniffer").y_desc("loss endpoint to sniffer").draw()?;
        let of_group = |of: &&Distance| of.link.endpoint_device >= least && of.link.endpoint_device < below;
        for at in distances.iter().filter(of_group) {
            let (x, y) = (at.link.device_sniffer, at.link.endpoint_sniffer);
            let alike = |other: &&Distance| (other.link.device_sniffer, other.link.endpoint_sniffer) == (x, y);
            let all: Vec<f64> = distances.iter().filter(of_group).filter(alike).filter_map(|of| of.jaccard).collect();
            let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
            let shade = (255.0 * (1.0 - mean)).clamp(0.0, 255.0) as u8;
            let tile = [(x - 0.024, y - 0.024), (x + 0.024, y + 0.024)];
            chart.draw_series([Rectangle::new(tile, RGBColor(shade, shade, 255).filled())])?;
            let number = Text::new(format!("{mean:.2}"), (x - 0.02, y + 0.008), ("sans-serif", 9));
            chart.draw_series([number])?;
        }
    }
    Ok(area.present()?)
}

/// Figure 5: how many of the probabilities of loss have at most this precision and this recall.
///
/// # Errors
///
/// If the file cannot be written.
pub fn plot_detection(path: &Path, detections: &[Detection], bounds: &[usize]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, (1000, 440)).into_drawing_area();
    area.fill(&WHITE)?;
    let precision: fn(Rates) -> f64 = |rates| rates.precision;
    for (panel, (name, value)) in
        area.split_evenly((1, 2)).iter().zip([("precision", precision), ("recall", |rates| rates.recall)])
    {
        let mut chart = ChartBuilder::on(panel)
            .caption(format!("CDF of {name}, exact search"), ("sans-serif", 15))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(50)
            .build_cartesian_2d(0.0..1.02, 0.0..1.02)?;
        chart.configure_mesh().x_desc(name).y_desc("part of the loss rates").draw()?;
        for (index, &most) in bounds.iter().enumerate() {
            let reports = |pair: &Detection| pair.is_definite || pair.missing > most;
            let mut losses: Vec<f64> = detections.iter().map(|pair| pair.link.endpoint_device).collect();
            losses.sort_by(f64::total_cmp);
            losses.dedup();
            let of_loss = |loss: f64| detections.iter().filter(move |pair| pair.link.endpoint_device == loss);
            let mut values: Vec<f64> =
                losses.into_iter().map(|loss| value(Rates::of(of_loss(loss), reports))).collect();
            values.sort_by(f64::total_cmp);
            let all = values.len() as f64;
            let mut line = vec![(0.0, 0.0)];
            for (below, &value) in values.iter().enumerate() {
                line.push((value, below as f64 / all));
                line.push((value, (below + 1) as f64 / all));
            }
            line.push((1.02, 1.0));
            let color = Palette99::pick(index).to_rgba();
            chart
                .draw_series(LineSeries::new(line, color.stroke_width(2)))?
                .label(format!("k = {most}"))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE)
            .border_style(BLACK)
            .draw()?;
    }
    Ok(area.present()?)
}
