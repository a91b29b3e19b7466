use super::*;
use std::future::Future;

/// A client with its own handler, on one store.
async fn connect<H>(store: &Store, handler: impl Fn(TcpStream, Store) -> H) -> io::Result<Client>
where
    H: Future<Output = io::Result<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let client = Client::connect(listener.local_addr()?).await?;
    let (stream, _) = listener.accept().await?;
    tokio::spawn(handler(stream, store.clone()));
    Ok(client)
}

#[tokio::test]
async fn a_value_is_read_back() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(serve(listener, Store::default()));
    let mut client = Client::connect(address).await?;
    for (line, answer) in [("set hits 7", "ok"), ("get hits", "7"), ("add hits", "error")] {
        client.send(line).await?;
        assert_eq!(client.answer().await?, answer);
    }
    Ok(())
}

#[tokio::test]
async fn who_says_quit_is_not_answered() -> io::Result<()> {
    let mut client = connect(&Store::default(), handle).await?;
    client.send("get hits\nquit\nget hits").await?;
    assert_eq!(client.answer().await?, "0");
    let gone = client.answer().await.expect_err("no second answer").kind();
    assert!(matches!(gone, io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset), "{gone}");
    Ok(())
}

/// Two clients add at the same time, and both are answered.
async fn two_clients_add<H>(handler: impl Fn(TcpStream, Store) -> H) -> io::Result<()>
where
    H: Future<Output = io::Result<()>> + Send + 'static,
{
    let store = Store::default();
    let mut first = connect(&store, &handler).await?;
    let mut second = connect(&store, &handler).await?;
    first.send("add hits 1").await?;
    second.send("add hits 2").await?;
    first.answer().await?;
    second.answer().await?;
    first.send("get hits").await?;
    assert_eq!(first.answer().await?, "3", "an addition is lost");
    Ok(())
}

#[tokio::test]
async fn no_addition_is_lost() -> io::Result<()> {
    two_clients_add(handle).await
}

/// The client need not wait until the value is stored.
async fn answer_before_storing(stream: TcpStream, store: Store) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        let sum = match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["add", key, amount] => store.get(key) + amount.parse::<i64>().unwrap_or(0),
            _ => store.get("hits"),
        };
        writer.write_all(format!("{sum}\n").as_bytes()).await?;
        store.set("hits", sum);
    }
    Ok(())
}

/// A runtime seldom polls anything else while the answer is being written.
#[tokio::test]
#[should_panic(expected = "an addition is lost")]
async fn an_answer_before_storing_loses_additions() {
    two_clients_add(answer_before_storing).await.unwrap();
}
