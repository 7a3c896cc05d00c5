import EdgeAgent
import EdgeAgentControl
import Glibc

@main
struct Main {
    static func main() {
        if let code = ControlMain.main(arguments: CommandLine.arguments) { exit(code) }
        exit(EdgeAgentMain.main(arguments: CommandLine.arguments))
    }
}
