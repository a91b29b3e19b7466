//! The chapters of the user's guide, `docs/src/`: their examples are compiled and run as doctests.
//!
//! Everything else that the guide shows is looked at by `tests/guide.rs`, which also sees to it that every chapter is here.

macro_rules! chapters {
    ($($name:ident = $file:literal,)*) => {
        $(#[doc = include_str!(concat!("../docs/src/", $file))] struct $name;)*
    };
}

chapters! {
    GettingStarted = "getting-started.md",
    WholePrograms = "whole.md",
    WhatAPassMeans = "pass.md",
    WhatTheNetworkMayDo = "faults.md",
    ProcessesTasksAndLoops = "programs.md",
    Files = "files.md",
    ReadingACounterexample = "counterexamples.md",
    WhereFaultsAreSeen = "propagation.md",
    MonitorsAndTraces = "monitors.md",
    HistoriesOfCalls = "history.md",
    ReplicatedProtocols = "distributed.md",
    RealPeers = "external.md",
    LimitsAndBigSystems = "limits.md",
    AllWords = "words.md",
    ComingFromOtherTools = "other-tools.md",
}
