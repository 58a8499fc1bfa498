import Headgate
import HeadgateCombine
import HeadgateCore
import HeadgateEngine
import ModelCore
import ModelKit

let observingScenarios = scenarios(.light) { family in
    family.add("metrics: counts add up") { run in
        let account = RunAccount { .zero }
        run.thread {
            account.add(.max(2)); account.takeOne()
        }
        run.thread { account.add(.unlimited) }
        run.after { expect(account.values == 1 && account.outstanding.isUnlimited, "\(account.values)") }
    }
}
