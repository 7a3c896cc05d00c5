import TestSupport

/// Runs a mosquitto whose dynamic-security plugin lets the user `agent` subscribe to `allowed/#` alone.
@discardableResult
func withSecuredBroker<Value>(_ body: (Broker) async throws -> Value) async throws -> Value {
    let files = try await Certificates()
    let database = files.directory + "/security.json"
    try await ChildProcess.run("/usr/bin/mosquitto_ctrl", ["dynsec", "init", database, "admin", "admin"])
    var options = BrokerOptions()
    options.lines = [
        "plugin /usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so", "plugin_opt_config_file \(database)",
        "allow_anonymous false",
    ]
    options.allowsAnonymous = nil
    return try await withBroker(options) { broker in
        func control(_ arguments: String...) async throws {
            let login = ["-h", "127.0.0.1", "-p", String(broker.port), "-u", "admin", "-P", "admin"]
            try await ChildProcess.run("/usr/bin/mosquitto_ctrl", login + ["dynsec"] + arguments)
        }
        try await control("setDefaultACLAccess", "subscribe", "deny")
        try await control("createRole", "agents")
        try await control("addRoleACL", "agents", "subscribePattern", "allowed/#", "allow", "1")
        try await control("createClient", "agent", "-p", "secret")
        try await control("addClientRole", "agent", "agents", "1")
        return try await body(broker)
    }
}
