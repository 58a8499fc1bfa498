extension FlowTimeline {
    /// The name of a lane.
    private func title(_ lane: Lane) -> String { "\(stages[lane.stage]) #\(lane.run)" }

    /// In the JSON array format of the Trace Event Format.
    var trace: String {
        var lines = [
            #"{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":\#(json(flow.name))}}"#
        ]
        for (place, lane) in lanes.enumerated() {
            let thread = "\"pid\":1,\"tid\":\(lane.run)"
            lines.append(#"{"name":"thread_name","ph":"M",\#(thread),"args":{"name":\#(json(title(lane)))}}"#)
            lines.append(#"{"name":"thread_sort_index","ph":"M",\#(thread),"args":{"sort_index":\#(place)}}"#)
            for interval in lane.intervals {
                let time = "\"ts\":\(microseconds(interval.from)),\"dur\":\(microseconds(interval.to - interval.from))"
                let value = interval.state == .busy ? #","args":{"value":\#(json(interval.value))}"# : ""
                lines.append(#"{"name":"\#(interval.state)","cat":"state","ph":"X",\#(time),\#(thread)\#(value)}"#)
            }
            for (time, demand) in lane.demand {
                // A counter has no infinity.
                guard let demand else { continue }
                let name = json("demand of " + title(lane))
                lines.append(
                    #"{"name":\#(name),"ph":"C","ts":\#(microseconds(time)),\#(thread),"args":{"values":\#(demand)}}"#)
            }
            for (time, kind, text) in lane.marks {
                lines.append(
                    #"{"name":"\#(kind)","cat":"completion","ph":"i","s":"t","ts":\#(microseconds(time)),\#(thread),"#
                        + #""args":{"failure":\#(json(text))}}"#)
            }
        }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }

    private func microseconds(_ nanoseconds: Int) -> String {
        let rest = String(nanoseconds % 1000)
        return "\(nanoseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}

/// A string in JSON.
private func json(_ text: String) -> String {
    var result = "\""
    for scalar in Flow.escaped(text).unicodeScalars {
        if scalar < " " {
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
            result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}
