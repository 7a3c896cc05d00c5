import Frames
import FramesSupport
import PaceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DecimalNumberTests {
    private func number(_ text: String) throws -> DecimalNumber { try #require(DecimalNumber(text: text), "\(text)") }

    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("0.0", "0"), ("7", "7"), ("-7", "-7"), ("7.0", "7"), ("100", "100"), ("0.10", "0.1"),
        ("1e3", "1000"), ("1E+3", "1000"), ("12.5e-1", "1.25"), ("0.000001", "0.000001"), ("1e-7", "1e-7"),
        ("123456789012345678901", "1.23456789012345678901e20"), ("-1e20", "-1e20"), ("1e21", "1e21"),
        ("-1.5e300", "-1.5e300"),
        ("18446744073709551615", "1.8446744073709551615e19"), ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9.223372036854775808e18"), ("-9223372036854775808", "-9223372036854775808"),
        ("1e18", "1000000000000000000"), ("100000000000000000000.5", "100000000000000000000.5"), ("5e-324", "5e-324"),
    ]) func `a number is written as JSON has it`(text: String, written: String) throws {
        let number = try number(text)
        #expect(number.description == written)
        #expect(DecimalNumber(text: written) == number)
    }

    @Test(arguments: [
        "", "-", "+1", ".5", "1.2.3", "1e", "e5", "1e5.0", "0x10", "nan", "inf", "1 ", " 1", "1e999", "1e-999", "1,5",
        "999999999999999999999999999999999999999", "1e310", "--1",
    ]) func `another text is no number`(text: String) { #expect(DecimalNumber(text: text) == nil) }

    @Test(arguments: [
        ("2150", "0.01", "21.5"), ("1", "0.1", "0.1"), ("3", "0.1", "0.3"), ("-2150", "0.01", "-21.5"),
        ("0", "0.01", "0"), ("7", "1e-9", "7e-9"), ("18446744073709551615", "0.001", "18446744073709551.615"),
        ("4294967295", "0.0625", "268435455.9375"), ("65535", "0.1", "6553.5"), ("5", "20", "100"),
    ]) func `a product is exact`(left: String, right: String, product: String) throws {
        let (left, right) = (try number(left), try number(right))
        #expect(left.multiplied(by: right)?.description == product)
        #expect(right.multiplied(by: left)?.description == product)
    }

    @Test(arguments: [
        ("21.5", "-40", "-18.5"), ("0.1", "0.2", "0.3"), ("1", "-1", "0"), ("1e20", "0.5", "100000000000000000000.5"),
        ("0", "0.5", "0.5"), ("1e300", "0", "1e300"), ("1e300", "1", "1e300"),
    ]) func `a sum is exact`(left: String, right: String, sum: String) throws {
        let (left, right) = (try number(left), try number(right))
        #expect(left.adding(right)?.description == sum)
        #expect(right.adding(left)?.description == sum)
    }

    @Test func `what is beyond a Double is no number, and what is below it is zero`() throws {
        let large = try number("1e308")
        #expect(large.multiplied(by: try number("100")) == nil)
        let sum = try number("1.7e308").adding(try number("1.7e308"))
        #expect(sum == nil)
        #expect(try number("5e-324").multiplied(by: try number("0.01")) == .zero)
        let digits = try number("12345678901234567890123456789012345678")
        let product = try #require(digits.multiplied(by: digits))
        #expect(product.double == digits.double * digits.double)
    }

    @Test func `a Float is its shortest decimal number`() {
        #expect(DecimalNumber(Float(0.1))?.description == "0.1")
        #expect(DecimalNumber(Double(Float(0.1)))?.description == "0.10000000149011612")
        for value in [Float.infinity, -.infinity, .nan] { #expect(DecimalNumber(value) == nil) }
        for value in [Double.infinity, -.infinity, .nan] { #expect(DecimalNumber(value) == nil) }
        #expect(DecimalNumber(-0.0) == .zero)
        #expect(DecimalNumber(Double.greatestFiniteMagnitude)?.double == .greatestFiniteMagnitude)
        #expect(DecimalNumber(Double.leastNonzeroMagnitude)?.double == .leastNonzeroMagnitude)
    }

    @Test(.apart) func `twenty thousand numbers come back as they were, and no pair of them traps`() throws {
        var random = SeededRandom(seed: 7)
        var last = DecimalNumber.zero
        for _ in 0..<Rounds.of(20_000) {
            let value = Double(bitPattern: random.next())
            guard let number = DecimalNumber(value) else {
                #expect(!value.isFinite)
                continue
            }
            #expect(number.double == value)
            #expect(DecimalNumber(text: number.description) == number)
            if let product = number.multiplied(by: last) { #expect(product.double.isFinite) }
            if let sum = number.adding(last) { #expect(sum.double.isFinite) }
            last = number
        }
    }
}
