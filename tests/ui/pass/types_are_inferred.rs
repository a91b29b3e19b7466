//! Nothing that comes with the library changes the meaning of a program: where a number is compared with another one that is
//! converted, the type to convert to is the only one, as it is without the library.

pub(crate) fn main() {
    let small: u8 = 1;
    assert_eq!(1_u16, small.into());
    assert_eq!(1_u32, small.into());
    assert_eq!(1_u64, small.into());
    assert_eq!(1_usize, small.into());
    assert_eq!(1_i16, small.into());
    assert_eq!(1_i32, small.into());
    assert_eq!(1_i64, small.into());
    assert_eq!(1_i128, small.into());
    assert_eq!(1.0_f32, small.into());
    assert_eq!(1.0_f64, small.into());
    assert_eq!('\u{1}', small.into());
    assert_eq!(true, "true".parse().unwrap());
    assert_eq!(7_u8, "7".parse().unwrap());
    assert!(2_u16 > small.into() && 2_u32 > small.into() && 2_i64 > small.into() && 2.0_f64 > small.into());
    let sum: u16 = [1_u16, 2].into_iter().sum();
    assert_eq!(sum, 3_u8.into());
}
