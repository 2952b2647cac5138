// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/record/run_record.hpp"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "core/history/record/checked_text.hpp"
#include "core/history/record/past_run_codec.hpp"

namespace commmap {
namespace {

constexpr FileKind kind{"commmap-run", "1"};
/// With this limit, a record stays below most_record_bytes, its numbers and first line included.
constexpr std::size_t most_id_bytes = 180;
constexpr double most_wall_s = 1e9;

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0.0; }

Error refuse(std::string why) { return {Errc::invalid_input, std::move(why)}; }

}  // namespace

std::string_view name_of(LaunchedAs launched_as) {
    switch (launched_as) {
        case LaunchedAs::placed:
            return "placed";
        case LaunchedAs::kept:
            return "kept";
        case LaunchedAs::profiled:
            return "profiled";
        case LaunchedAs::off:
            return "off";
        case LaunchedAs::explored:
            return "explored";
        case LaunchedAs::reversed:
            return "reversed";
    }
    return "";
}

Status check_record(const RunRecord& record) {
    const PastRun& run = record.run;
    if (record.application_id.size() > most_id_bytes)
        return refuse("the program's identity is too long");
    if (record.program.size() > most_program_bytes) return refuse("the program's name is too long");
    if (record.num_ranks == 0 || record.num_nodes == 0 || record.num_nodes > record.num_ranks)
        return refuse(
            fmt::format("the record has {} ranks on {} nodes", record.num_ranks, record.num_nodes));
    if (!is_time(run.wall_s) || run.wall_s <= 0.0 || run.wall_s > most_wall_s)
        return refuse(fmt::format("the record's wall time is {} s, not above 0 and at most {} s",
                                  run.wall_s, most_wall_s));
    if (!is_time(record.mpi_s) || record.mpi_s > run.wall_s)
        return refuse(
            fmt::format("the record's time from MPI_Init to MPI_Finalize is {} s, not 0 to its "
                        "wall time of {} s",
                        record.mpi_s, run.wall_s));
    if (!is_time(run.predicted_s) || !is_time(run.default_s) || !is_time(run.error))
        return refuse(fmt::format(
            "the record's prediction is negative or not finite: {} s, {} s by default, error {}",
            run.predicted_s, run.default_s, run.error));
    return Ok{};
}

Result<std::string> encode_record(const RunRecord& record) {
    if (Status checked = check_record(record); !checked) return checked.error();
    flatbuffers::FlatBufferBuilder builder;
    const history1::Past run = encoded(record.run);
    builder.Finish(history1::CreateRecord(builder, builder.CreateString(record.application_id),
                                          builder.CreateString(record.program), record.num_ranks,
                                          record.num_nodes, record.shape, record.arguments, &run,
                                          static_cast<std::uint32_t>(record.clock), record.mpi_s));
    std::string text = with_first_line(
        kind, {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});
    if (text.size() > most_record_bytes) return refuse("the record is too long");
    return text;
}

Result<RunRecord> decode_record(std::string_view content) {
    if (content.size() > most_record_bytes) return Error{Errc::corrupt, "the record is too long"};
    const auto body = body_of(kind, content);
    if (!body) return body.error();
    const std::string aligned(body.value());  // a view into the middle of a text is unaligned
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(aligned.data()),
                                   aligned.size());
    if (!verifier.VerifyBuffer<history1::Record>())
        return Error{Errc::corrupt, "the record is damaged"};
    const auto* const stored = flatbuffers::GetRoot<history1::Record>(aligned.data());
    if (!is_aligned(stored->run())) return Error{Errc::corrupt, "the record is damaged"};
    const auto clock = clock_of(stored->clock());
    if (!clock)
        return Error{Errc::not_supported, "the record has a clock of a later version of commmap"};
    RunRecord record{stored->application_id()->str(),
                     stored->program()->str(),
                     stored->num_ranks(),
                     stored->num_nodes(),
                     stored->shape(),
                     stored->arguments(),
                     decoded(*stored->run()),
                     *clock,
                     stored->mpi_s()};
    if (const Status checked = check_record(record); !checked)
        return Error{Errc::corrupt, checked.error().message};
    return record;
}

}  // namespace commmap
