import Dispatch
import ModelCore
import ModelKit

// In a module of the library, these come before Dispatch's own.
extension DispatchQueue {
    /// Jobs are performed by a thread of the scenario.
    func async(execute work: @escaping () -> Void) { ModelJobs.dispatch.add(work) }
}

extension DispatchTime {
    static func now() -> DispatchTime { DispatchTime(uptimeNanoseconds: model_now()) }
}
