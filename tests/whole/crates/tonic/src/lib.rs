//! A thermometer as a gRPC service, and clients of it: what tonic's code generator writes is written by hand here.

use prost::Message;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::sleep;
use tokio_stream::StreamExt;
use tonic::body::Body;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::{BoxFuture, BoxStream, Service, http};
use tonic::transport::{Channel, Server};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

const LATEST: &str = "/Thermometer/Latest";
const HISTORY: &str = "/Thermometer/History";

/// Which room is asked for.
#[derive(Clone, PartialEq, Message)]
pub struct Room {
    #[prost(string, tag = "1")]
    pub name: String,
}

/// What was read in a room.
#[derive(Clone, PartialEq, Message)]
pub struct Degrees {
    #[prost(int32, tag = "1")]
    pub celsius: i32,
}

/// The readings of each room, the latest one last.
const READINGS: [i32; 2] = [19, 21];

/// How long it takes to read a thermometer, and how long a client waits between its connect and its call. In a check,
/// what is under way arrives before that time passes, so that it does not overlap with what comes after.
const A_WHILE: Duration = Duration::from_millis(10);

/// `rpc Latest(Room) returns (Degrees)`.
struct Latest;

impl Service<Request<Room>> for Latest {
    type Response = Response<Degrees>;
    type Error = Status;
    type Future = BoxFuture<Self::Response, Status>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Room>) -> Self::Future {
        Box::pin(async move {
            sleep(A_WHILE).await;
            let [.., celsius] = READINGS;
            match request.get_ref().name.as_str() {
                "kitchen" => Ok(Response::new(Degrees { celsius })),
                room => Err(Status::not_found(room)),
            }
        })
    }
}

/// `rpc History(Room) returns (stream Degrees)`.
struct History;

impl Service<Request<Room>> for History {
    type Response = Response<BoxStream<Degrees>>;
    type Error = Status;
    type Future = BoxFuture<Self::Response, Status>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Room>) -> Self::Future {
        let read = |celsius| async move {
            sleep(A_WHILE).await;
            Ok(Degrees { celsius })
        };
        let readings: BoxStream<Degrees> = Box::pin(tokio_stream::iter(READINGS).then(read));
        Box::pin(async { Ok(Response::new(readings)) })
    }
}

/// The service, which hands each request to its method.
#[derive(Clone)]
struct Thermometer;

impl Service<http::Request<Body>> for Thermometer {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(ProstCodec::default());
            Ok(match request.uri().path() {
                LATEST => grpc.unary(Latest, request).await,
                HISTORY => grpc.server_streaming(History, request).await,
                path => Status::unimplemented(path).into_http(),
            })
        })
    }
}

/// Any error of a program.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Serves on port 50051.
pub async fn server() -> Result<(), Error> {
    let address = SocketAddr::from(([0, 0, 0, 0], 50_051));
    Ok(Server::builder().serve(address, Thermometer).await?)
}

/// A client of the service.
pub struct Client(tonic::client::Grpc<Channel>);

/// Connects to the server.
pub async fn connect() -> Result<Client, Error> {
    let channel = Channel::from_static("http://server:50051").connect().await?;
    let grpc = tonic::client::Grpc::new(channel);
    sleep(A_WHILE).await;
    Ok(Client(grpc))
}

/// What a client takes an error in the middle of a stream for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The end of the stream.
    End,
    /// An error.
    Error,
}

impl Client {
    /// The latest reading of a room.
    pub async fn latest(&mut self, room: &str) -> Result<i32, Error> {
        self.0.ready().await?;
        let request = Request::new(Room { name: room.to_owned() });
        let answer = self.0.unary(request, PathAndQuery::from_static(LATEST), ProstCodec::default()).await?;
        let Degrees { celsius } = answer.into_inner();
        Ok(celsius)
    }

    /// All readings of a room.
    pub async fn history(&mut self, room: &str, broken: Broken) -> Result<Vec<i32>, Error> {
        self.0.ready().await?;
        let request = Request::new(Room { name: room.to_owned() });
        let path = PathAndQuery::from_static(HISTORY);
        let mut stream = self.0.server_streaming(request, path, ProstCodec::default()).await?.into_inner();
        let mut readings = Vec::new();
        match broken {
            Broken::End => {
                while let Ok(Some(Degrees { celsius })) = stream.message().await {
                    readings.push(celsius);
                }
            }
            Broken::Error => {
                while let Some(Degrees { celsius }) = stream.message().await? {
                    readings.push(celsius);
                }
            }
        }
        Ok(readings)
    }
}
