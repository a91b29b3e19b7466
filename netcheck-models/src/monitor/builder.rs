//! Declaring a monitor.

use super::automaton::{Monitor, Observes, Placed, State};
use super::guard::nanoseconds;
use super::mistakes::Mistakes;
use super::rule::Rule;
use core::panic::Location;
use core::time::Duration;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Declares a [`Monitor`]. The first state is the initial one. Each name is checked by [`Builder::build`], so the order
/// of the calls is free otherwise.
pub struct Builder<E> {
    name: String,
    states: Vec<String>,
    accepting: Vec<String>,
    hot: Vec<String>,
    deadlines: Vec<(String, String, u64)>,
    variables: Vec<(String, RangeInclusive<i64>)>,
    clocks: Vec<String>,
    rules: Vec<(String, String, Rule<E>, &'static Location<'static>)>,
    observes: Option<Observes<E>>,
}

impl<E> Monitor<E> {
    /// A monitor without states, to be declared.
    #[must_use]
    pub fn builder(name: &str) -> Builder<E> {
        Builder {
            name: name.to_owned(),
            states: Vec::new(),
            accepting: Vec::new(),
            hot: Vec::new(),
            deadlines: Vec::new(),
            variables: Vec::new(),
            clocks: Vec::new(),
            rules: Vec::new(),
            observes: None,
        }
    }
}

impl<E> Builder<E> {
    /// Adds a state.
    #[must_use]
    pub fn state(mut self, name: &str) -> Self {
        self.states.push(name.to_owned());
        self
    }

    /// Makes a state accepting. If some state is, the end must come in an accepting one.
    #[must_use]
    pub fn accepting(mut self, state: &str) -> Self {
        self.accepting.push(state.to_owned());
        self
    }

    /// Makes a state one that has to be left: an end must not come there, and a check looks for fair executions that stay in
    /// such states for ever.
    #[must_use]
    pub fn hot(mut self, state: &str) -> Self {
        self.hot.push(state.to_owned());
        self
    }

    /// Rejects when a clock reads more than this duration in a state.
    #[must_use]
    pub fn deadline(mut self, state: &str, clock: &str, at_most: Duration) -> Self {
        self.deadlines.push((state.to_owned(), clock.to_owned(), nanoseconds(at_most)));
        self
    }

    /// Adds a variable with its domain, which begins with its least value. A boolean has the domain `0..=1`.
    #[must_use]
    pub fn variable(mut self, name: &str, domain: RangeInclusive<i64>) -> Self {
        self.variables.push((name.to_owned(), domain));
        self
    }

    /// Adds a clock, which begins at zero.
    #[must_use]
    pub fn clock(mut self, name: &str) -> Self {
        self.clocks.push(name.to_owned());
        self
    }

    /// Adds a rule that leads from one state to another, or back to the same.
    #[must_use]
    #[track_caller]
    pub fn rule(mut self, from: &str, to: &str, rule: Rule<E>) -> Self {
        self.rules.push((from.to_owned(), to.to_owned(), rule, Location::caller()));
        self
    }

    /// Observes only the events of a pattern; all others are ignored. Without it, all are observed.
    #[must_use]
    pub fn observes(mut self, pattern: impl Fn(&E) -> bool + Send + Sync + 'static) -> Self {
        self.observes = Some(Box::new(pattern));
        self
    }

    /// The monitor.
    ///
    /// # Errors
    ///
    /// All mistakes: no state, a name twice or unknown, an empty domain, a state that no rules lead to, a clock that
    /// is compared and never reset, or reset and never compared, a variable assigned twice in a rule.
    pub fn build(self) -> Result<Monitor<E>, Mistakes> {
        let variables: Vec<String> = self.variables.iter().map(|(name, _)| name.clone()).collect();
        let mut names = Names { states: &self.states, variables: &variables, clocks: &self.clocks, mistakes: vec![] };
        names.check_declarations(&self.variables);
        let mut deadlines = Vec::new();
        for (state, clock, most) in &self.deadlines {
            let deadline = (names.state(state, "a deadline"), names.clock(clock, "a deadline"), *most);
            if let (Some(state), Some(clock), most) = deadline {
                deadlines.push((state, clock, most));
            }
        }
        let accepting: Vec<_> = self.accepting.iter().map(|state| names.state(state, "`accepting`")).collect();
        let hot: Vec<_> = self.hot.iter().map(|state| names.state(state, "`hot`")).collect();
        let both = self.hot.iter().filter(|state| self.accepting.contains(state));
        let both = both.map(|state| format!("the state `{state}` is accepting and hot: an end may come there, or not"));
        names.mistakes.extend(both);
        let ends: Vec<_> = self.rules.iter().map(|(from, to, rule, line)| names.rule(from, to, rule, line)).collect();
        names.check_reachable(&ends);
        names.check_clocks(&self.rules.iter().map(|rule| &rule.2).collect::<Vec<_>>(), &self.deadlines);
        if !names.mistakes.is_empty() {
            return Err(Mistakes(names.mistakes));
        }
        let mut longest_ns = vec![0; self.clocks.len()];
        let clock = |name: &str| self.clocks.iter().position(|known| known == name).expect("checked");
        let compared = self.rules.iter().flat_map(|(_, _, rule, _)| rule.guard.clocks());
        for (name, ns) in compared.filter(|(_, ns)| *ns != u64::MAX) {
            longest_ns[clock(name)] = ns.max(longest_ns[clock(name)]);
        }
        for &(_, clock, ns) in &deadlines {
            longest_ns[clock] = ns.max(longest_ns[clock]);
        }
        let states = self.states.iter().enumerate().map(|(state, name)| State {
            name: name.clone(),
            deadlines: deadlines.iter().filter(|(at, ..)| *at == state).map(|&(_, clock, ns)| (clock, ns)).collect(),
            accepting: accepting.contains(&Some(state)),
            hot: hot.contains(&Some(state)),
        });
        let states = states.collect();
        let rules = self.rules.into_iter().zip(ends).map(|((_, _, rule, line), ends)| {
            let (from, to) = ends.expect("checked");
            let variable = |name: &String| variables.iter().position(|known| known == name).expect("checked");
            let assigned = rule.assignments.iter().map(|(name, _)| variable(name)).collect();
            let resets = rule.resets.iter().map(|name| clock(name)).collect();
            Placed { from, to, rule, assigned, resets, line }
        });
        let rules = rules.collect();
        let domains: Vec<_> = self.variables.into_iter().map(|(_, domain)| domain).collect();
        Ok(Monitor {
            name: self.name,
            states,
            initial_values: domains.iter().map(|domain| *domain.start()).collect(),
            variables,
            domains,
            longest_ns,
            rules,
            observes: self.observes,
            has_accepting: !accepting.is_empty(),
            clocks: self.clocks,
        })
    }
}

/// The declared names, and the mistakes found so far.
struct Names<'a> {
    states: &'a [String],
    variables: &'a [String],
    clocks: &'a [String],
    mistakes: Vec<String>,
}

impl Names<'_> {
    fn check_declarations(&mut self, domains: &[(String, RangeInclusive<i64>)]) {
        if self.states.is_empty() {
            self.mistakes.push("the monitor has no state: add one with `.state(…)`".to_owned());
        }
        for (kind, names) in [("state", self.states), ("variable", self.variables), ("clock", self.clocks)] {
            let mut seen = BTreeSet::new();
            let twice = names.iter().filter(|name| !seen.insert(*name));
            self.mistakes.extend(twice.map(|name| format!("the {kind} `{name}` is declared twice")));
        }
        for (name, _) in domains.iter().filter(|(_, domain)| domain.is_empty()) {
            self.mistakes.push(format!("the domain of the variable `{name}` is empty"));
        }
    }

    fn known(&mut self, names: &[String], kind: &str, name: &str, user: &str) -> Option<usize> {
        let found = names.iter().position(|known| known == name);
        if found.is_none() {
            let declared = names.join("`, `");
            self.mistakes.push(format!("{user} names the unknown {kind} `{name}`; declared: `{declared}`"));
        }
        found
    }

    fn state(&mut self, name: &str, user: &str) -> Option<usize> {
        self.known(self.states, "state", name, user)
    }

    fn clock(&mut self, name: &str, user: &str) -> Option<usize> {
        self.known(self.clocks, "clock", name, user)
    }

    /// The states of a rule, if both are known.
    fn rule<E>(&mut self, from: &str, to: &str, rule: &Rule<E>, line: &Location<'_>) -> Option<(usize, usize)> {
        let user = format!("the rule `{}` ({}:{})", rule.label, line.file(), line.line());
        let ends = (self.state(from, &user), self.state(to, &user));
        let compared: BTreeSet<&str> = rule.guard.clocks().into_iter().map(|(name, _)| name).collect();
        for name in compared.into_iter().chain(rule.resets.iter().map(String::as_str)) {
            self.clock(name, &user);
        }
        let mut seen = BTreeSet::new();
        for (name, _) in &rule.assignments {
            self.known(self.variables, "variable", name, &user);
            if !seen.insert(name) {
                self.mistakes.push(format!("{user} assigns the variable `{name}` twice"));
            }
        }
        ends.0.zip(ends.1)
    }

    fn check_reachable(&mut self, ends: &[Option<(usize, usize)>]) {
        let mut reached = BTreeSet::from([0]);
        loop {
            let new: Vec<usize> =
                ends.iter().flatten().filter(|(from, _)| reached.contains(from)).map(|e| e.1).collect();
            let before = reached.len();
            reached.extend(new);
            if reached.len() == before {
                break;
            }
        }
        for (state, name) in self.states.iter().enumerate() {
            let is_first = self.states.iter().position(|other| other == name) == Some(state);
            if is_first && !reached.contains(&state) {
                self.mistakes.push(format!("no rules lead from `{}` to the state `{name}`", self.states[0]));
            }
        }
    }

    fn check_clocks<E>(&mut self, rules: &[&Rule<E>], deadlines: &[(String, String, u64)]) {
        for name in self.clocks.iter().collect::<BTreeSet<_>>() {
            let is_reset = rules.iter().any(|rule| rule.resets.contains(name));
            let in_rules = rules.iter().any(|rule| rule.guard.clocks().iter().any(|(clock, _)| *clock == name));
            let is_compared = in_rules || deadlines.iter().any(|(_, clock, _)| clock == name);
            if !is_reset {
                self.mistakes.push(format!("the clock `{name}` is never reset: reset it in a rule, or take it out"));
            } else if !is_compared {
                self.mistakes.push(format!("the clock `{name}` is never compared: take it out"));
            }
        }
    }
}
