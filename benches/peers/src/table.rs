//! The table, and what its rows say about each other.

use crate::figures::{Counts, Figures, Verdict};
use crate::system::System;
use crate::tools::Tool;
use comfy_table::{CellAlignment, Table, presets};
use std::time::Duration;

pub struct Rows {
    table: Table,
    limit: Duration,
    figures: Vec<(System, Tool, Figures)>,
}

impl Rows {
    pub fn new(limit: Duration) -> Self {
        let mut table = Table::new();
        table.load_preset(presets::ASCII_MARKDOWN).set_header([
            "connections × requests",
            "tool",
            "verdict",
            "states",
            "transitions",
            "executions",
            "time [s]",
            "transitions/s",
            "memory [MB]",
        ]);
        for column in table.column_iter_mut().skip(3) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        Rows { table, limit, figures: Vec::new() }
    }

    pub fn add(&mut self, system: System, tool: Tool, figures: Result<Figures, String>) {
        let mut cells = vec![system.name(), tool.name().to_owned()];
        match figures {
            Ok(figures) => {
                cells.extend(self.cells(&figures));
                self.figures.push((system, tool, figures));
            }
            Err(reason) => cells.push(reason),
        }
        self.table.add_row(cells);
    }

    fn cells(&self, figures: &Figures) -> [String; 7] {
        let Figures { verdict, counts: Counts { states, transitions, executions }, seconds, memory_bytes } = *figures;
        let verdict = match verdict {
            Verdict::Holds => "holds".to_owned(),
            Verdict::Violated => "violated".to_owned(),
            Verdict::NoEnd => format!("no end in {} s", self.limit.as_secs()),
        };
        let number = |number: Option<u64>| number.map(thousands).unwrap_or_default();
        // The start of the process and of the tool is most of what takes less.
        let per_second = transitions.filter(|_| seconds >= 0.01).map(|count| (count as f64 / seconds) as u64);
        [
            verdict,
            number(states),
            number(transitions),
            number(executions),
            format!("{seconds:.3}"),
            number(per_second),
            format!("{:.1}", memory_bytes as f64 / 1e6),
        ]
    }

    pub fn print(&self) {
        println!("{}", self.table);
        self.print_agreement();
    }

    /// stateright's model and the one of SPIN with time-outs have the same states and transitions.
    fn print_agreement(&self) {
        let of = |wanted| {
            let rows = self.figures.iter().filter(move |(_, tool, _)| *tool == wanted);
            rows.filter(|(.., figures)| matches!(figures.verdict, Verdict::Holds))
        };
        let (mut compared, mut differ) = (0, 0);
        for (system, _, stateright) in of(Tool::Stateright) {
            let Some((.., spin)) = of(Tool::SpinUnreduced).find(|(other, ..)| other == system) else { continue };
            let count = |figures: &Figures| (figures.counts.states, figures.counts.transitions);
            compared += 1;
            if count(stateright) != count(spin) {
                differ += 1;
                println!("{}: stateright and SPIN differ", system.name());
            }
        }
        println!(
            "stateright and SPIN -DNOREDUCE: {compared} systems compared by states and transitions, {differ} differ"
        );
    }
}

/// With a comma between thousands.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}
