import XCTest
final class CorePlaceholderTests: XCTestCase {}
