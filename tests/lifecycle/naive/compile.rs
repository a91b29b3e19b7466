//! Routines without nesting: repetitions are unrolled, conditions are jumps, regions begin and end.

use crate::program::Instruction;

#[derive(Debug)]
pub enum Code {
    Do(Instruction),
    JumpUnless {
        register: usize,
        equals: u8,
        target: usize,
    },
    Jump {
        target: usize,
    },
    /// goes on at `exit` when it is over
    BeginTimeout {
        ms: u16,
        into: usize,
        exit: usize,
    },
    BeginScope,
    BeginRegion {
        region: usize,
    },
    BeginInterval {
        ms: u16,
    },
    Tick,
    /// the region that was begun last
    End,
}

pub fn compile(routine: &[Instruction]) -> Vec<Code> {
    let mut code = Vec::new();
    append(&mut code, routine);
    code
}

fn append(code: &mut Vec<Code>, block: &[Instruction]) {
    for instruction in block {
        match instruction {
            Instruction::If { register, equals, then, otherwise } => {
                let branch = code.len();
                code.push(Code::Jump { target: 0 });
                append(code, then);
                let exit = code.len();
                code.push(Code::Jump { target: 0 });
                code[branch] = Code::JumpUnless { register: *register, equals: *equals, target: code.len() };
                append(code, otherwise);
                code[exit] = Code::Jump { target: code.len() };
            }
            Instruction::Every { ms, times, body } => {
                code.push(Code::BeginInterval { ms: *ms });
                for _ in 0..*times {
                    code.push(Code::Tick);
                    append(code, body);
                }
                code.push(Code::End);
            }
            Instruction::Timeout { ms, into, body } => {
                let begin = code.len();
                code.push(Code::Jump { target: 0 });
                append(code, body);
                code.push(Code::End);
                code[begin] = Code::BeginTimeout { ms: *ms, into: *into, exit: code.len() };
            }
            Instruction::Scope { body } => {
                code.push(Code::BeginScope);
                append(code, body);
                code.push(Code::End);
            }
            Instruction::With { region, body } => {
                code.push(Code::BeginRegion { region: *region });
                append(code, body);
                code.push(Code::End);
            }
            simple => code.push(Code::Do(simple.clone())),
        }
    }
}
