#include "core/work/measure_request.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/job/facts_json.h"
#include "core/job/job_file.h"
#include "core/machine/choose_rows.h"
#include "core/machine/measure.h"
#include "core/scan/corrected_scan.h"
#include "core/work/volume_store.h"

namespace gantry {

namespace {

using json = nlohmann::ordered_json;

Facts measured(std::string_view request, const std::string& where, const Backends& backends,
               const std::stop_token& stop) {
    const nlohmann::json document = parseJson(request, where);
    JsonFields fields(document, where);
    JobSpec spec = parseJobSpec(jsonText(fields.raw("job")), where);
    settleMethod(spec);
    Facts facts = parseFacts(fields.raw("facts"), where);
    fields.finish();
    const Machine machine = machineOf(backends);
    const OpenScan stored =
        selected(openScan(spec.scan, stop, BadViews::refuse, filterRowsOf(spec, machine)),
                 spec.corrections.pixels);
    const std::size_t before = facts.all().size();
    const FilterRows rows = chooseRows(facts, stored, spec, machine, backends, stop).rows;
    const OpenScan scan = corrected(withRows(stored, rows), spec.corrections.withoutMeasured());
    try {
        learn(facts, scan, spec, sinkNeedsOf(spec), machine, backends, Purpose::forecast, {}, stop);
    } catch (const Cancelled&) {
        throw;
    } catch (const Error&) {
        // The measured facts made planning fail; the caller will find the same with them.
        if (facts.all().size() == before) throw;
    }
    return facts;
}

}  // namespace

std::string measureRequest(const JobSpec& spec, const Facts& known) {
    const json document = {{"job", ownOrderedJson(toJson(spec))}, {"facts", toJson(known)}};
    return jsonText(document, -1);
}

std::string answerMeasureRequest(std::string_view request, const std::string& where,
                                 const Backends& backends, const std::stop_token& stop) {
    const Facts facts = request.empty() ? Facts() : measured(request, where, backends, stop);
    const json document = {{"gpus", toJson(backends.gpu.info.devices)},
                           {"whyNoGpu", backends.whyNoGpu},
                           {"facts", toJson(facts)}};
    return jsonText(document, -1);
}

Measured parseMeasured(std::string_view answer) {
    const std::string where = "the measurement's answer";
    const nlohmann::json document = parseJson(answer, where);
    JsonFields fields(document, where);
    Measured result;
    result.gpus = parseDeviceFacts(fields.raw("gpus"), where);
    result.whyNoGpu = fields.text("whyNoGpu");
    result.facts = parseFacts(fields.raw("facts"), where);
    fields.finish();
    return result;
}

}  // namespace gantry
