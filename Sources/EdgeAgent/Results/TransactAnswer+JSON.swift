internal import Frames

extension TransactAnswer {
    func write(to writer: inout JSONWriter) {
        writer.field("packets", packets)
        writer.field("value", binary: value)
        if !parsed.isEmpty {
            writer.object("parsed") { writer in
                for one in parsed {
                    writer.key(one.name)
                    one.value.write(to: &writer)
                }
            }
            let measured = parsed.filter { $0.unit != nil }
            if !measured.isEmpty {
                writer.object("units") { writer in
                    for one in measured {
                        writer.key(one.name)
                        writer.value(one.unit ?? "")
                    }
                }
            }
        }
        if !surplus.isEmpty { writer.field("surplus", binary: surplus) }
    }
}

extension ParsedValue {
    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let bool): writer.value(bool)
        case .number(let number): writer.value(number)
        case .text(let text): writer.value(text)
        }
    }
}

extension OperationError {
    /// An answer that the rules cannot read.
    init(_ failure: FrameFailure) {
        let code: ErrorCode =
            switch failure.code {
            case .parseFailed: .parseFailed
            case .badChecksum: .badChecksum
            }
        self.init(code, at: .operate, detail: failure.detail)
    }
}
