extension MQTTConfiguration {
    /// Checks what libmosquitto would not refuse, or not before the first attempt.
    ///
    /// - Throws: `MQTTFailure.configuration` with the first field that cannot work.
    func validate() throws(MQTTFailure) {
        guard isPlain(host), !host.isEmpty else {
            throw .configuration(field: "host", problem: "is empty or not valid")
        }
        guard (1...65535).contains(port) else { throw .configuration(field: "port", problem: "is not in 1…65535") }
        guard isPlain(clientID), !clientID.isEmpty else {
            throw .configuration(field: "client id", problem: "is empty or not valid")
        }
        guard (5...65535).contains(keepaliveSeconds) else {
            throw .configuration(field: "keepalive", problem: "is not in 5…65535 s")
        }
        guard isPlain(username ?? "") else { throw .configuration(field: "user name", problem: "is not valid") }
        guard let password else { return try validateRest() }
        guard !password.bytes.contains(0), password.bytes.count <= 65535 else {
            throw .configuration(field: "password", problem: "has a NUL byte or is too long")
        }
        guard username != nil else { throw .configuration(field: "password", problem: "has no user name beside it") }
        try validateRest()
    }

    private func validateRest() throws(MQTTFailure) {
        if let tls {
            guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
                throw .configuration(field: "tls", problem: "certificate and key go together")
            }
            for file in [tls.caFile, tls.certificateFile, tls.keyFile] where !isPlain(file ?? "") {
                throw .configuration(field: "tls", problem: "a file name is not valid")
            }
        }
        guard (1...65535).contains(outgoing.unacknowledged) else {
            throw .configuration(field: "unacknowledged", problem: "is not in 1…65535")
        }
        guard let will else { return }
        let message = MQTTPublication(topic: will.topic, payload: will.payload)
        if let problem = MosquittoHandle.problem(with: message) {
            throw .configuration(field: "will", problem: problem)
        }
        guard will.payload.count <= 65535 else {
            throw .configuration(field: "will", problem: "the payload is too long")
        }
    }

    private func isPlain(_ text: String) -> Bool { MosquittoHandle.isText(text) }
}
