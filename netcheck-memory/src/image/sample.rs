//! Full images of a sample of states: later images with the same digest have to be the same.
//!
//! Two different images with one digest would make two states one. With 128 bits that does not come about by chance; it
//! would by a mistake in how images are written or digested, which this finds.

use super::words::{Digest, Image};
use std::collections::BTreeMap;

/// The first images are all in the sample.
const ALL_AT_FIRST: usize = 32;
/// One in so many of the later ones is in it, by its digest.
const ONE_IN: u128 = 64;
/// Each is compared with so many others.
const COMPARED_MAX: u32 = 8;
/// The words of all images that are kept: 8 MiB.
const WORDS_MAX: usize = 1 << 20;

/// Images of a check, by their digests.
#[derive(Debug, Default)]
pub struct Sample {
    kept: BTreeMap<Digest, Kept>,
    words: usize,
}

#[derive(Debug)]
struct Kept {
    image: Image,
    compared: u32,
}

impl Sample {
    /// Whether the image of this digest is to be [compared](Sample::agrees).
    #[must_use]
    pub fn is_due(&self, digest: Digest) -> bool {
        match self.kept.get(&digest) {
            Some(kept) => kept.compared < COMPARED_MAX,
            None => {
                let is_sampled = self.kept.len() < ALL_AT_FIRST || digest.to_u128().is_multiple_of(ONE_IN);
                is_sampled && self.words < WORDS_MAX
            }
        }
    }

    /// Keeps an image, or compares it with the one that has the same digest: false if they differ.
    #[must_use]
    pub fn agrees(&mut self, image: Image) -> bool {
        if let Some(kept) = self.kept.get_mut(&image.digest()) {
            kept.compared += 1;
            return kept.image == image;
        }
        self.words += image.words().len();
        self.kept.insert(image.digest(), Kept { image, compared: 0 });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_image_with_a_digest_that_is_known_is_found() {
        let mut sample = Sample::default();
        let image = Image::new(&[1, 2, 3]);
        assert!(sample.is_due(image.digest()));
        assert!(sample.agrees(image.clone()) && sample.agrees(image.clone()) && sample.agrees(Image::new(&[4])));
        assert!(!sample.agrees(Image::forged(image.digest(), &[1, 2, 4])));
        assert!(!sample.agrees(Image::forged(image.digest(), &[1, 2, 3, 0])));
        assert!(sample.agrees(image));
    }

    #[test]
    fn the_first_images_are_in_the_sample_and_some_of_the_others() {
        let mut sample = Sample::default();
        let mut due = Vec::new();
        for number in 0..10_000 {
            let image = Image::new(&[number]);
            if sample.is_due(image.digest()) {
                due.push(number);
                assert!(sample.agrees(image));
            }
        }
        assert!((0..ALL_AT_FIRST as u64).all(|number| due.contains(&number)));
        assert!((120..300).contains(&due.len()), "{}", due.len());
        let image = Image::new(&[0]);
        let compared = (0..100).take_while(|_| sample.is_due(image.digest()) && sample.agrees(image.clone())).count();
        assert_eq!(compared, COMPARED_MAX as usize);
        assert!(sample.agrees(Image::new(&vec![5; WORDS_MAX])));
        assert!((20_000..30_000).all(|number| !sample.is_due(Image::new(&[number]).digest())), "its memory is bounded");
    }
}
