//! Where the parts of a graph are drawn, from left to right.
//!
//! Columns of nodes and columns of labels take turns: the nodes by how far they are from the start, and next to them
//! the labels of the edges that leave them. Every box has a place of its own, so that no two overlap. An edge that
//! leads on ends in the next column, because no node is farther away than that. One that leads back, or to its own
//! column, goes round below everything.

use std::collections::VecDeque;

// Lengths in pixels.
const MARGIN: i32 = 16;
/// Between a column and the next, for the curves and the ways back.
const ACROSS: i32 = 40;
/// Between boxes of a column.
const DOWN: i32 = 10;
/// Between ways back.
const LANE: i32 = 6;
/// Ways back that go down, or up, beside each other between two columns.
const LANES: i32 = 5;

/// A rectangle, by its upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// An edge; `to`: `None` for one that leads to a node that is not drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) from: usize,
    pub(crate) to: Option<usize>,
    /// The size of its label.
    pub(crate) label: (i32, i32),
}

/// How an edge goes on from its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// To the next column.
    On,
    /// Back to the node that it came from.
    Loop,
    /// Down at the first `x`, along at `y`, up at the second `x`.
    Back { down: i32, y: i32, up: i32 },
    /// Nowhere.
    Out,
}

/// The places of all nodes and labels, and the routes of the links, each in the order in which they were given.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) nodes: Vec<Rect>,
    pub(crate) labels: Vec<Rect>,
    pub(crate) routes: Vec<Route>,
}

/// Lays out nodes of these sizes; each can be reached from one of `first`.
pub(crate) fn layout(sizes: &[(i32, i32)], first: &[usize], links: &[Link]) -> Layout {
    let ranks = ranks(sizes.len(), first, links);
    let mut layout = Layout {
        nodes: sizes.iter().map(|&(width, height)| Rect { x: 0, y: 0, width, height }).collect(),
        labels: links.iter().map(|link| Rect { x: 0, y: 0, width: link.label.0, height: link.label.1 }).collect(),
        ..Layout::default()
    };
    let mut x = MARGIN + LANES * LANE;
    for rank in 0..=ranks.iter().copied().max().unwrap_or(0) {
        let nodes: Vec<usize> = (0..sizes.len()).filter(|&node| ranks[node] == rank).collect();
        let wanted = |node: usize| {
            let leads_here = |link: &(usize, &Link)| link.1.to == Some(node) && ranks[link.1.from] + 1 == rank;
            mean(links.iter().enumerate().filter(leads_here).map(|(index, _)| layout.labels[index].middle()))
        };
        let components = column(x, nodes.iter().map(|&node| (node, wanted(node), sizes[node])).collect());
        components.into_iter().for_each(|(node, place)| layout.nodes[node] = place);
        x += ACROSS + nodes.iter().map(|&node| sizes[node].0).max().unwrap_or(0);

        let mut leaving: Vec<usize> = (0..links.len()).filter(|&link| ranks[links[link].from] == rank).collect();
        leaving.sort_by_key(|&link| (layout.nodes[links[link].from].y, links[link].to));
        // The labels of a node lie around its middle.
        let fan = |node: usize| -> i32 {
            let heights =
                leaving.iter().filter(|&&link| links[link].from == node).map(|&link| links[link].label.1 + DOWN);
            heights.sum()
        };
        let mut above = 0;
        let mut last = None;
        let mut wanted = Vec::new();
        for &link in &leaving {
            let Link { from, label, .. } = links[link];
            if last.replace(from) != Some(from) {
                above = layout.nodes[from].middle() - (fan(from) - DOWN) / 2;
            }
            wanted.push((link, Some(above + label.1 / 2), label));
            above += label.1 + DOWN;
        }
        let components = column(x, wanted);
        components.into_iter().for_each(|(link, place)| layout.labels[link] = place);
        x += leaving.iter().map(|&link| links[link].label.0 + ACROSS).max().unwrap_or(0);
    }
    layout.width = x + MARGIN;
    layout.settle(&ranks, links);
    layout
}

/// How many links each node is away from the start.
fn ranks(count: usize, first: &[usize], links: &[Link]) -> Vec<usize> {
    let mut ranks = vec![usize::MAX; count];
    first.iter().for_each(|&node| ranks[node] = 0);
    let mut open: VecDeque<usize> = first.iter().copied().collect();
    while let Some(node) = open.pop_front() {
        for to in links.iter().filter(|link| link.from == node).filter_map(|link| link.to) {
            if ranks[to] == usize::MAX {
                ranks[to] = ranks[node] + 1;
                open.push_back(to);
            }
        }
    }
    // Nodes that cannot be reached stand with the first.
    ranks.into_iter().map(|rank| if rank == usize::MAX { 0 } else { rank }).collect()
}

/// Puts boxes below each other, each as near to where its middle is wanted as those above let it be.
fn column(x: i32, mut boxes: Vec<(usize, Option<i32>, (i32, i32))>) -> Vec<(usize, Rect)> {
    boxes.sort_by_key(|&(_, wanted, _)| wanted);
    let mut free = i32::MIN;
    let place = |(index, wanted, (width, height)): (usize, Option<i32>, (i32, i32))| {
        let y = (wanted.unwrap_or(0) - height / 2).max(free);
        free = y + height + DOWN;
        (index, Rect { x, y, width, height })
    };
    boxes.into_iter().map(place).collect()
}

fn mean(values: impl Iterator<Item = i32>) -> Option<i32> {
    let (count, sum) = values.fold((0, 0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count)
}

impl Layout {
    /// Moves everything below the upper edge, and finds the ways back.
    fn settle(&mut self, ranks: &[usize], links: &[Link]) {
        let boxes = || self.nodes.iter().chain(&self.labels);
        let top = boxes().map(|place| place.y).min().unwrap_or(0);
        let bottom = boxes().map(|place| place.y + place.height).max().unwrap_or(0);
        self.nodes.iter_mut().chain(&mut self.labels).for_each(|place| place.y += MARGIN - top);
        let mut y = bottom - top + MARGIN + DOWN;
        let mut ways = 0;
        for (index, link) in links.iter().enumerate() {
            let route = match link.to {
                None => Route::Out,
                Some(to) if to == link.from => Route::Loop,
                Some(to) if ranks[to] == ranks[link.from] + 1 => Route::On,
                Some(to) => {
                    let lane = LANE * (ways % LANES + 1);
                    (ways, y) = (ways + 1, y + LANE);
                    let column =
                        links.iter().zip(&self.labels).filter(|(other, _)| ranks[other.from] == ranks[link.from]);
                    let right = column.map(|(_, label)| label.x + label.width).max().unwrap_or(self.labels[index].x);
                    Route::Back { down: right + lane, y: y - LANE, up: self.nodes[to].x - lane }
                }
            };
            self.routes.push(route);
        }
        self.height = y + MARGIN;
    }
}

impl Rect {
    /// The height of its middle.
    pub(crate) fn middle(&self) -> i32 {
        self.y + self.height / 2
    }

    pub(crate) fn right(&self) -> i32 {
        self.x + self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(a: &Rect, b: &Rect) -> bool {
        a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    }

    /// Links by a rule that makes all kinds of them.
    fn links(count: usize) -> Vec<Link> {
        let link = |from, to, width| Link { from, to: Some(to), label: (width, 12) };
        let mut links: Vec<Link> = (1..count).map(|node| link(node / 3, node, 90 + node as i32 % 40)).collect();
        links.extend((0..count).step_by(4).map(|node| link(node, node, 50)));
        links.extend((0..count).step_by(5).map(|node| link(node, node / 2, 60)));
        links.push(Link { from: count - 1, to: None, label: (30, 12) });
        links
    }

    #[test]
    fn no_box_lies_on_another_and_ways_back_are_clear() {
        for count in [1, 2, 7, 40] {
            let links = links(count);
            let layout = layout(&vec![(40, 20); count], &[0], &links);
            let boxes: Vec<Rect> = layout.nodes.iter().chain(&layout.labels).copied().collect();
            let page = Rect { x: 0, y: 0, width: layout.width, height: layout.height };
            for (index, place) in boxes.iter().enumerate() {
                assert!(boxes[..index].iter().all(|other| !overlap(place, other)), "{count}: {layout:?}");
                assert!(place.x >= 0 && place.y >= 0 && place.right() <= page.width, "{count}: {place:?}");
                assert!(place.y + place.height <= page.height, "{count}: {place:?}");
            }
            for (index, route) in layout.routes.iter().enumerate() {
                let Route::Back { down, y, up } = *route else { continue };
                let (label, node) = (layout.labels[index], layout.nodes[links[index].to.expect("it leads back")]);
                let upright = |x: i32, from: i32| Rect { x, y: from, width: 1, height: y - from };
                let along = Rect { x: up.min(down), y, width: (down - up).abs(), height: 1 };
                for way in [upright(down, label.middle()), along, upright(up, node.middle())] {
                    assert!(boxes.iter().all(|place| !overlap(place, &way)), "{count}: {way:?} {layout:?}");
                    assert!(way.x >= 0 && way.x < page.width && way.y + way.height <= page.height);
                }
            }
        }
    }

    #[test]
    fn routes_tell_where_links_lead() {
        let link = |from, to| Link { from, to, label: (10, 10) };
        let links =
            [link(0, Some(1)), link(1, Some(1)), link(1, Some(0)), link(1, None), link(0, Some(2)), link(2, Some(1))];
        let layout = layout(&[(20, 20); 3], &[0], &links);
        assert_eq!(
            (layout.routes[0], layout.routes[1], layout.routes[3], layout.routes[4]),
            (Route::On, Route::Loop, Route::Out, Route::On)
        );
        assert!(matches!(layout.routes[2], Route::Back { .. }) && matches!(layout.routes[5], Route::Back { .. }));
        assert!(layout.nodes[0].right() < layout.labels[0].x && layout.labels[0].right() < layout.nodes[1].x);
    }
}
