//! Variables that are moved, in one branch, in a part, or before they come back.

#[derive(Default)]
struct Job {
    name: String,
    port: u16,
    rest: (String, u32),
}

#[netcheck::process]
async fn client(job: String, fallback: String) -> String {
    let mut tries = 0;
    let mut current = job;
    loop {
        current = ask(current).await;
        tries += 1;
        if tries > 2 {
            drop(fallback);
            break;
        }
    }
    let last;
    let mut other = String::new();
    if tries > 1 {
        drop(other);
    }
    loop {
        other = ask("".to_owned()).await;
        if other.is_empty() {
            last = other;
            break;
        }
    }
    let job = Job::default();
    let name = job.name;
    while tries < u32::from(job.port) {
        ask(job.rest.0.clone()).await;
        tries += job.rest.1;
    }
    let mut builder = Some(name);
    while let Some(name) = builder.take() {
        builder = (ask(name).await.len() > 3).then(String::new);
    }
    let handle = String::from("handle");
    loop {
        match ask(last).await.len() {
            0 => return handle.into_boxed_str().into_string(),
            _ => return handle,
        }
    }
}

async fn ask(name: String) -> String {
    name
}

pub fn main() {
    let _ = client(String::new(), String::new());
}
