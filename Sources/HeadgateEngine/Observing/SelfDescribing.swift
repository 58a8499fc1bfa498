/// A member of a publisher that says the publisher's name itself, and is shown without its label in `describe()`.
package protocol SelfDescribing {
    var description: String { get }
}
