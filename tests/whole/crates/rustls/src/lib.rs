//! A server that echoes over TLS, and a client that trusts its certificate.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// The port on which the server sends its certificate as it is, for clients that trust whoever answers first.
const CERTIFICATE: u16 = 80;

/// Serves on port 443 with a new certificate, which is to be had on port 80.
pub async fn server() -> Result<()> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["server".to_owned()]).map_err(Error::other)?;
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let certificate = cert.der().clone();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .map_err(Error::other)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let certificates = TcpListener::bind(("0.0.0.0", CERTIFICATE)).await?;
    let listener = TcpListener::bind("0.0.0.0:443").await?;
    loop {
        tokio::select! {
            accepted = certificates.accept() => {
                let (mut stream, _) = accepted?;
                let certificate = certificate.clone();
                tokio::spawn(async move { stream.write_all(&certificate).await });
            }
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                tokio::spawn(echo(stream, acceptor.clone()));
            }
        }
    }
}

/// Echoes what one connection says, until that is closed.
async fn echo(stream: TcpStream, acceptor: TlsAcceptor) -> Result<()> {
    let mut stream = acceptor.accept(stream).await?;
    let mut buffer = [0; 64];
    loop {
        match stream.read(&mut buffer).await? {
            0 => return stream.shutdown().await,
            bytes => stream.write_all(&buffer[..bytes]).await?,
        }
    }
}

/// Asks for the server's certificate.
pub async fn certificate() -> Result<CertificateDer<'static>> {
    let mut certificate = Vec::new();
    TcpStream::connect(("server", CERTIFICATE)).await?.read_to_end(&mut certificate).await?;
    Ok(certificate.into())
}

/// What an answer is whose end is missing: the connection is closed without the closing message of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncated {
    /// An error.
    Refused,
    /// What has come of it.
    Accepted,
}

/// Says `hello` to `host` at the server, whose certificate has to be this one, and returns the answer.
pub async fn talk(certificate: CertificateDer<'static>, host: &'static str, truncated: Truncated) -> Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).map_err(Error::other)?;
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let stream = TcpStream::connect("server:443").await?;
    let name = ServerName::try_from(host).map_err(Error::other)?;
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await?;
    stream.write_all(b"hello").await?;
    stream.shutdown().await?;
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer).await {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof && truncated == Truncated::Accepted => {}
        result => _ = result?,
    }
    String::from_utf8(answer).map_err(Error::other)
}
