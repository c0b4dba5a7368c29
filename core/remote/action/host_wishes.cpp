#include "core/remote/action/host_wishes.h"

#include <cstddef>

namespace gantry {

namespace {

using W = HostWishes;
using enum FieldPresence;

constexpr Index kMaxWishedNodes = 1'000'000;
constexpr Index kMaxWishedMinutes = 1'000'000;

constexpr FieldChoice<W> kWishedData = {
    kDataWords, [](const W& w) { return w.way ? static_cast<std::size_t>(*w.way) + 1 : 0; },
    [](W& w, std::size_t word) {
        w.way = word == 0 ? std::nullopt : std::optional(static_cast<DataWay>(word - 1));
    }};
constexpr FieldChoice<W> kWishedBring = {
    kBringWords, [](const W& w) { return static_cast<std::size_t>(w.bring); },
    [](W& w, std::size_t word) { w.bring = static_cast<BringBack>(word); }};

constexpr FileField<W> kWishFields[] = {
    {{"", "nodes", defaulted, "", "nodes of the host; 0: as many as are predicted to be worth it",
      0, kMaxWishedNodes},
     [](W& w) -> int& { return w.nodes; },
     {.flag = "--nodes",
      .form = "N",
      .group = kHostOptions,
      .label = "Nodes",
      .help = "Machines of the cluster that share the volume. Automatic: as many as are predicted "
              "to be worth it, or as the host says."}},
    {{"", "minutes", defaulted, "", "time limit there; 0: three times the prediction", 0,
      kMaxWishedMinutes},
     [](W& w) -> int& { return w.minutes; },
     {.flag = "--minutes",
      .form = "N",
      .group = kHostOptions,
      .label = "Time limit",
      .help = "The cluster ends the job after that time; finished slabs are kept, and Resume goes "
              "on from them. Automatic: three times the prediction."}},
    {{"", "data", defaulted, "",
      "how the scan comes to the host: it sees the same files (`map`), they are sent once "
      "(`send`), or SCAN is a place on the host (`there`); `auto`: map where the host's file has "
      "such a folder, else send"},
     kWishedData,
     {.flag = "--data",
      .group = kHostOptions,
      .label = "Scan's files",
      .help = "How the scan comes to the host. What was sent once is not sent again, and an "
              "interrupted transfer goes on where it stopped."}},
    {{"", "placeThere", whereSet},
     [](W& w) -> std::string& { return w.placeThere; },
     {.label = "Scan on the host",
      .help = "The scan's scan.json on the host, or where it would be: its images lie beside it."}},
    {{"", "bring", defaulted, "", "what of the volume comes back when it is done"},
     kWishedBring,
     {.flag = "--bring",
      .group = kHostOptions,
      .label = "Bring back",
      .help = "What comes back when the job is done. The rest stays on the host, until Fetch in "
              "the list of jobs."}},
};

}  // namespace

std::span<const FileField<HostWishes>> hostWishFields() {
    return kWishFields;
}

}  // namespace gantry
