// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The two files that launches leave: a run's record and a program's history. Each as it is, and
// with the input as what stands behind a right first line, so that the hash does not end every try.
// What is read can be written and is read again, and can be added to.
#include <string>

#include "core/history/record/checked_text.hpp"
#include "core/history/record/run_record.hpp"
#include "core/history/store/history_codec.hpp"
#include "fuzz/fuzz_target.hpp"

namespace commmap::fuzz {
namespace {

void read_record(std::string_view bytes) {
    const auto record = decode_record(bytes);
    if (!record) return;
    const auto again = encode_record(record.value());
    // a made-up file may be packed closer than a written one
    if (!again) return;
    const auto same = decode_record(again.value());
    require(same.ok() && same.value() == record.value(), "a record is read differently");
    ProgramHistory history(record.value().application_id, record.value().num_ranks);
    require(history.add(record.value()), "a first run is there already");
    ++taken;
}

void read_history(std::string_view bytes) {
    auto history = decode_history(bytes);
    if (!history) return;
    const auto again = decode_history(encode_history(history.value()));
    require(again.ok() && again.value() == history.value(), "a history is read differently");
    RunRecord record;
    record.num_ranks = record.num_nodes = 1;
    record.run.wall_s = 1.5;
    for (std::uint32_t step = 0; step < 100; ++step) {
        record.run.step = step;
        record.run.launched_as = step % 2 == 0 ? LaunchedAs::placed : LaunchedAs::off;
        history.value().add(record);
    }
    ++taken;
}

}  // namespace
}  // namespace commmap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace commmap;
    const std::string_view input = fuzz::text_of(data, size);
    fuzz::read_record(input);
    fuzz::read_record(with_first_line({"commmap-run", "1"}, input));
    fuzz::read_history(input);
    fuzz::read_history(with_first_line({"commmap-history", "1"}, input));
    return 0;
}
