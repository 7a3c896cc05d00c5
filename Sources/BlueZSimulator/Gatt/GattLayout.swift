/// The attribute table of a device: every attribute with its handle.
///
/// Handles count up from 1 through the services in their order: a service's declaration, then for each
/// characteristic its declaration, its value and its descriptors.
struct GattLayout {
    struct Descriptor {
        let handle: UInt16
        let model: DescriptorModel
        var isClientConfiguration: Bool { model.uuid == LongUUID.clientConfiguration }
    }

    struct Characteristic {
        let handle: UInt16
        let model: CharacteristicModel
        let descriptors: [Descriptor]
        var valueHandle: UInt16 { handle &+ 1 }
    }

    struct Service {
        let handle: UInt16
        let model: ServiceModel
        let characteristics: [Characteristic]
    }

    let services: [Service]

    /// Lays out as many services as there are handles for.
    init(_ models: [ServiceModel]) {
        var next = 1
        var services: [Service] = []
        for model in models {
            let size = Self.size(of: model)
            guard next + size <= 0xFFFF else { break }
            services.append(Self.service(model, at: next))
            next += size
        }
        self.services = services
    }

    var characteristics: [Characteristic] { services.flatMap(\.characteristics) }

    private static func service(_ model: ServiceModel, at start: Int) -> Service {
        var next = start + 1
        var characteristics: [Characteristic] = []
        for characteristic in model.characteristics {
            let handle = next
            next += 2
            var descriptors: [Descriptor] = []
            for descriptor in allDescriptors(of: characteristic) {
                descriptors.append(Descriptor(handle: UInt16(clamping: next), model: descriptor))
                next += 1
            }
            characteristics.append(
                Characteristic(handle: UInt16(clamping: handle), model: characteristic, descriptors: descriptors)
            )
        }
        return Service(handle: UInt16(clamping: start), model: model, characteristics: characteristics)
    }

    private static func size(of service: ServiceModel) -> Int {
        service.characteristics.reduce(1) { $0 + 2 + allDescriptors(of: $1).count }
    }

    private static func allDescriptors(of model: CharacteristicModel) -> [DescriptorModel] {
        guard !model.flags.isDisjoint(with: [.notify, .indicate]) else { return model.descriptors }
        return [DescriptorModel("2902", value: [0, 0], isWritable: true)] + model.descriptors
    }
}
