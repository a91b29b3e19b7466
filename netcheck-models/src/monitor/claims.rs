//! Ready-made monitors: claims over all executions.
//!
//! Each takes every event that it is shown, so that it may watch beside others, and says nothing of the events that its
//! conditions do not name.

use super::automaton::Monitor;
use super::rule::Rule;
use core::time::Duration;

const BUILT: &str = "a ready-made monitor has no mistakes";

/// The clock of the claims with a time bound.
const CLOCK: &str = "since";

impl<E: 'static> Monitor<E> {
    /// Claims that a condition holds of every event.
    ///
    /// # Examples
    ///
    /// ```
    /// use netcheck_models::monitor::{Monitor, Trace};
    /// use core::time::Duration;
    ///
    /// let small = Monitor::always("small", |length: &usize| *length <= 512);
    /// let trace = Trace::new([(Duration::ZERO, 4), (Duration::ZERO, 513)]).unwrap();
    /// assert_eq!(small.validate(&trace).rejected_at(), Some(2));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn always(name: &str, holds: impl Fn(&E) -> bool + Send + Sync + 'static) -> Monitor<E> {
        Monitor::builder(name).state("always").rule("always", "always", Rule::on(name, holds)).build().expect(BUILT)
    }

    /// Claims that no event meets a condition.
    ///
    /// # Examples
    ///
    /// ```
    /// use netcheck_models::monitor::{Monitor, Trace};
    /// use core::time::Duration;
    ///
    /// let no_reset = Monitor::never("no reset", |word: &&str| *word == "reset");
    /// let trace = Trace::new([(Duration::ZERO, "open"), (Duration::ZERO, "reset")]).unwrap();
    /// assert_eq!(no_reset.validate(&trace).rejected_at(), Some(2));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn never(name: &str, happens: impl Fn(&E) -> bool + Send + Sync + 'static) -> Monitor<E> {
        Monitor::always(name, move |event| !happens(event))
    }

    /// Claims that each cause is followed by an effect, or is one itself, within some time: by the first effect after
    /// the first cause that has none yet. At the end, where time passes without end, none may be missing.
    ///
    /// # Examples
    ///
    /// ```
    /// use netcheck_models::monitor::{Monitor, Trace};
    /// use core::time::Duration;
    ///
    /// let ms = Duration::from_millis;
    /// let answered = Monitor::leads_to("answered", |word| *word == "ask", |word| *word == "answer", ms(10));
    /// let validate = |at: u64| answered.validate(&Trace::new([(ms(0), "ask"), (ms(at), "answer")]).unwrap());
    /// assert!(validate(10).is_accepted());
    /// assert_eq!(validate(11).rejected_at(), Some(2));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn leads_to(
        name: &str,
        cause: impl Fn(&E) -> bool + Send + Sync + 'static,
        effect: impl Fn(&E) -> bool + Clone + Send + Sync + 'static,
        within: Duration,
    ) -> Monitor<E> {
        let also = effect.clone();
        Monitor::builder(name)
            .clock(CLOCK)
            .state("settled")
            .state("due")
            .deadline("due", CLOCK, within)
            .rule("settled", "due", Rule::on("the cause", move |event| cause(event) && !also(event)).reset(CLOCK))
            .rule("settled", "settled", Rule::otherwise())
            .rule("due", "settled", Rule::on("the effect", effect))
            .rule("due", "due", Rule::otherwise())
            .build()
            .expect(BUILT)
    }

    /// Claims that an event happens only after another one has happened.
    ///
    /// # Examples
    ///
    /// ```
    /// use netcheck_models::monitor::{Monitor, Trace};
    /// use core::time::Duration;
    ///
    /// let greeted = Monitor::precedes("greeted", |word| *word == "hello", |word| *word == "data");
    /// let trace = Trace::new([(Duration::ZERO, "data"), (Duration::ZERO, "hello")]).unwrap();
    /// assert_eq!(greeted.validate(&trace).rejected_at(), Some(1));
    /// ```
    #[must_use]
    #[track_caller]
    pub fn precedes(
        name: &str,
        first: impl Fn(&E) -> bool + Clone + Send + Sync + 'static,
        then: impl Fn(&E) -> bool + Send + Sync + 'static,
    ) -> Monitor<E> {
        let also = first.clone();
        Monitor::builder(name)
            .state("before")
            .state("after")
            .rule("before", "after", Rule::on("the first", first))
            .rule("before", "before", Rule::on("neither", move |event| !also(event) && !then(event)))
            .rule("after", "after", Rule::on("anything", |_| true))
            .build()
            .expect(BUILT)
    }
}
