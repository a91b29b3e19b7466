use super::*;
use tokio::time::{sleep, timeout};

const PERIOD: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(5);

struct Observed {
    status: watch::Receiver<Status>,
    peer: UdpSocket,
    observer: SocketAddr,
}

/// An observer that runs, and the socket of its peer.
async fn observed() -> io::Result<Observed> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let observer = socket.local_addr()?;
    let (sender, status) = watch::channel(Status::default());
    tokio::spawn(observe(socket, PATIENCE, sender));
    Ok(Observed { status, peer: UdpSocket::bind("127.0.0.1:0").await?, observer })
}

#[tokio::test]
async fn who_beats_is_alive_and_who_is_silent_is_not() -> io::Result<()> {
    let Observed { mut status, peer, observer } = observed().await?;
    let beats = tokio::spawn(async move { beat(&peer, observer, PERIOD).await });
    status.wait_for(|status| status.is_alive).await.expect("it is observed");
    sleep(3 * PATIENCE).await;
    assert_eq!(*status.borrow(), Status { is_alive: true, losses: 0 });

    beats.abort();
    let losses = timeout(2 * PATIENCE, lost(&mut status, 0)).await.expect("the silence is noticed");
    assert_eq!(losses, 1);
    Ok(())
}

#[tokio::test]
async fn who_was_never_heard_is_not_lost() -> io::Result<()> {
    let Observed { mut status, .. } = observed().await?;
    assert!(timeout(4 * PATIENCE, lost(&mut status, 0)).await.is_err());
    Ok(())
}

/// The peer starts again twice, each time as soon as its goodbye was heard.
async fn restarts() -> io::Result<watch::Receiver<Status>> {
    let Observed { mut status, peer, observer } = observed().await?;
    peer.send_to(BEAT, observer).await?;
    status.wait_for(|status| status.is_alive).await.expect("it is observed");
    tokio::spawn(async move {
        for _ in 0..2 {
            leave(&peer, observer, PATIENCE).await?;
            peer.send_to(BEAT, observer).await?;
        }
        io::Result::Ok(())
    });
    Ok(status)
}

#[tokio::test]
async fn no_loss_goes_unnoticed() -> io::Result<()> {
    let mut status = restarts().await?;
    let mut losses = 0;
    while losses < 2 {
        losses = timeout(PATIENCE / 2, lost(&mut status, losses)).await.expect("a loss was not noticed");
    }
    Ok(())
}

/// A channel of states keeps the last one only: what changes twice in between has not changed. On a
/// runtime, who is woken has nearly always run before the peer hears that it was heard.
#[tokio::test]
#[should_panic(expected = "a loss was not noticed")]
async fn losses_that_are_counted_by_changes_go_unnoticed() {
    let mut status = restarts().await.unwrap();
    let mut losses = 0;
    while losses < 2 {
        timeout(PATIENCE / 2, status.changed()).await.expect("a loss was not noticed").expect("it is observed");
        losses += u32::from(!status.borrow_and_update().is_alive);
    }
}
