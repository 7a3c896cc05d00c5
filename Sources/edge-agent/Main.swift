import EdgeAgent
import Glibc

@main
struct Main {
    static func main() {
        exit(EdgeAgentMain.main(arguments: CommandLine.arguments))
    }
}
