//! Systems that the engine was wrong about.
