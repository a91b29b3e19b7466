//! Values for programs whose processes are isolated.

use oracle::language::program::Value;

/// A [`Value`] that may cross into an isolated process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, netcheck::Isolated)]
pub enum Operand {
    Constant(u8),
    Register(usize),
}

impl Operand {
    pub fn of(self, registers: &[u8]) -> u8 {
        match self {
            Operand::Constant(constant) => constant,
            Operand::Register(register) => registers[register],
        }
    }
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        match value {
            Value::Constant(constant) => Operand::Constant(constant),
            Value::Register(register) => Operand::Register(register),
        }
    }
}
