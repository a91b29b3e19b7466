use super::*;

const STATES: &[&[u32]] = &[
    &[],
    &[0],
    &[1, 2, 3],
    &[127],
    &[128],
    &[0x3FFF, 0x4000],
    &[u32::MAX, 0, u32::MAX],
    &[1, 2],
    &[1, 2, 3, 4, 5, 6, 7, 8],
    &[1, 2, 3, 4, 5, 6, 7, 128, 9],
    &[0; 20],
    &[300, 2, 3, 4, 5, 6, 7, 8, 9, 10, u32::MAX],
];

#[test]
fn what_goes_in_comes_out() {
    for keep in [Keep::Exact, Keep::Fingerprint] {
        let mut store = Store::new(keep);
        let mut parent = None;
        let mut ids = Vec::new();
        for (depth, state) in STATES.iter().enumerate() {
            let (id, is_new) = store.insert(state, parent);
            assert!(is_new);
            assert_eq!(store.depth(id), depth);
            ids.push(id);
            parent = Some(id);
        }
        assert_eq!(store.len(), STATES.len());
        assert_eq!(store.path(ids[STATES.len() - 1]), ids);
        for (state, &id) in STATES.iter().zip(&ids) {
            assert_eq!(store.insert(state, None), (id, false));
            assert_eq!(store.find(state), Some(id));
            let mut opened = Vec::new();
            store.look_at(id, &mut opened);
            assert_eq!(opened[..], **state);
        }
        assert_eq!(store.find(&[9, 9]), None);
    }
}

#[test]
fn a_state_can_be_led_to_on_another_way() {
    for keep in [Keep::Exact, Keep::Fingerprint] {
        let mut store = Store::new(keep);
        let (first, _) = store.insert(&[1], None);
        let (second, _) = store.insert(&[2], Some(first));
        let (third, _) = store.insert(&[3, 70_000], Some(first));
        store.lead(third, second);
        assert_eq!((store.depth(third), store.path(third)), (2, vec![first, second, third]));
        assert_eq!(store.find(&[3, 70_000]), Some(third));
        let mut opened = Vec::new();
        store.look_at(third, &mut opened);
        assert_eq!(opened[..], [3, 70_000]);
    }
}

#[test]
fn states_are_found_in_every_chunk() {
    let mut store = Store::new(Keep::Exact);
    let long: Vec<u32> = (0..5_000).map(|word| u32::MAX - word).collect();
    let ids: Vec<StateId> = (0..300u32).map(|last| store.insert(&[&long[..], &[last]].concat(), None).0).collect();
    for (last, &id) in (0..300u32).zip(&ids) {
        assert_eq!(store.find(&[&long[..], &[last]].concat()), Some(id));
    }
    assert!(store.memory_bytes() > 5 * CHUNK_BYTES);
}

#[test]
fn the_probability_of_an_omission_is_that_of_a_collision() {
    let mut store = Store::new(Keep::Fingerprint);
    for word in 0..1_000u32 {
        store.insert(&[word], None);
    }
    let probability = store.omission_probability().expect("states may be missed");
    assert!((probability - 1_000_000.0 / 2f64.powi(65)).abs() < 1e-15, "{probability}");
    assert_eq!(Store::new(Keep::Exact).omission_probability(), None);
}

/// By the definition: of the states of its chunk that begin at a byte or before it, the last one.
#[test]
fn a_state_is_found_by_each_of_its_bytes() {
    let mut exact = Exact::default();
    let mut random = 1u64;
    let mut begins = Vec::new();
    for word in 0..900u32 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let bytes = [&word.to_le_bytes()[..], &vec![7; (random >> 51) as usize]].concat();
        let (id, _) = exact.insert(Encoded { bytes: &bytes, hash: u64::from(word) << 32 }, None);
        begins.push((id.0 as usize * ALIGNMENT, id));
    }
    assert!(exact.arena.len() > 2, "the ends of chunks are among the bytes");
    for byte in (0..exact.bytes()).step_by(37) {
        let of_chunk = |&&(at, _): &&(usize, StateId)| at <= byte && at / CHUNK_BYTES == byte / CHUNK_BYTES;
        let last = begins.iter().filter(of_chunk).max().expect("each chunk begins with a state");
        assert_eq!(exact.at(byte), last.1, "{byte}");
    }
}

/// By the definition: the different values of all states.
#[test]
fn values_are_counted_for_each_component() {
    let mut store = Store::new(Keep::Exact);
    let states: Vec<Vec<u32>> = (0..100u32)
        .map(|word| vec![word / 3, 7, u32::from(word == 40), word % 5])
        .chain([vec![1], vec![50, 8]])
        .collect();
    states.iter().for_each(|state| _ = store.insert(state, None));
    let different = |component: usize| {
        let mut values: Vec<u32> = states.iter().filter_map(|state| state.get(component).copied()).collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    assert_eq!(store.count_values(1_000), (0..4).map(different).collect::<Vec<usize>>());
    let counts = store.count_values(10);
    assert!((2..=10).contains(&counts[0]), "{counts:?}");
    assert_eq!(Store::new(Keep::Fingerprint).count_values(10), [0; 0]);
}
