//! A server that speaks the protocol over a socket. A fresh process is a fresh connection.

use std::net::{TcpStream, ToSocketAddrs};

use trapline_budget::Budget;
use trapline_engine::possible::Inputs;
use trapline_model::Model;

use super::link::Link;
use super::{Answer, Breakdown, Codec, Connection, Implementation, Protocol, retry};

pub(super) fn open<'b>(
    connection: &Connection,
    model: &'b Model,
    budget: &'b Budget<'b>,
) -> Result<Box<dyn Implementation + 'b>, Breakdown> {
    let codec = Codec::new(connection.protocol, model);
    Ok(Box::new(Socket { connection: connection.clone(), codec, budget, link: None }))
}

struct Socket<'m, 'b> {
    connection: Connection,
    codec: Codec<'m>,
    budget: &'b Budget<'b>,
    link: Option<Link>,
}

impl Socket<'_, '_> {
    fn connect(&self) -> Result<Link, Breakdown> {
        let address = self.connection.to.trim_start_matches("tcp://");
        let failed = |error: std::io::Error| Breakdown::Start(format!("`{address}`: {error}"));
        let stream = retry(self.connection.retries, || {
            let mut found = address.to_socket_addrs().map_err(failed)?;
            let first = found.next().ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
            TcpStream::connect_timeout(&first, self.connection.step_timeout).map_err(failed)
        })?;
        // Lines are small, and each is waited for.
        stream.set_nodelay(true).map_err(failed)?;
        let other = stream.try_clone().map_err(failed)?;
        Link::new(stream.into(), other.into(), None)
    }

    fn ask(&mut self, line: &str) -> Result<Answer, Breakdown> {
        let Some(link) = &mut self.link else { unreachable!("it is connected by a reset") };
        let answer = link.ask(line, self.connection.step_timeout, self.budget)?;
        self.codec.answer(&answer)
    }
}

impl Implementation for Socket<'_, '_> {
    fn reset(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        if self.connection.restarts || self.connection.protocol == Protocol::Csv {
            self.link = None;
        }
        if self.link.is_none() {
            let mut link = self.connect()?;
            self.codec.greet(&mut link, self.connection.step_timeout, self.budget)?;
            self.link = Some(link);
        }
        self.ask(&self.codec.reset(inputs))
    }

    fn step(&mut self, inputs: &Inputs) -> Result<Answer, Breakdown> {
        self.ask(&self.codec.step(inputs))
    }

    fn end(&mut self) {
        self.link = None;
    }
}
