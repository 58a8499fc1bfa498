import Headgate

// What can't be sent to an actor, before an operator that delivers there.

final class Parcel { var number = 0 }

actor Depot {
    var count = 0
}

func hop(_ parcels: PassthroughSubject<Parcel, Never>, _ depot: Depot) {
    _ = parcels.receive(on: depot)
}
