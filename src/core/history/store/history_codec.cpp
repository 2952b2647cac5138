// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/store/history_codec.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/flat_buffer.hpp"
#include "core/history/record/checked_text.hpp"
#include "core/history/record/past_run_codec.hpp"

namespace commmap {
namespace {

constexpr FileKind kind{"commmap-history", "1"};

using Builder = flatbuffers::FlatBufferBuilder;

flatbuffers::Offset<history1::Arm> stored(Builder& builder, const RunArm& arm) {
    std::vector<history1::Past> runs;
    runs.reserve(arm.runs.size());
    for (const PastRun& run : arm.runs) runs.push_back(encoded(run));
    std::optional<history1::Reversal> reversal;
    if (const auto& known = arm.reversal; known)
        reversal.emplace(known->decided_unix_s, known->slower_by, known->chance, known->num_default,
                         known->num_placed);
    const PredictionError error = arm.error.value_or(PredictionError{});
    const GainRecord gain = error.gain.value_or(GainRecord{});
    return history1::CreateArm(builder, arm.basis, list_of_structs(builder, runs), arm.num_older,
                               arm.last_look, reversal ? &*reversal : nullptr, error.num_runs,
                               error.bias, error.spread, gain.num_default, gain.predicted,
                               gain.measured);
}

bool can_be_read(const history1::Arm& stored) {
    return is_aligned(stored.runs()) && is_aligned(stored.reversal());
}

/// Decodes an arm, and neither drops nor checks anything: the caller refuses wrong values.
/// @pre can_be_read(stored)
RunArm restored(const history1::Arm& stored) {
    RunArm arm;
    arm.basis = stored.basis();
    // Reads by index: an empty vector may be unaligned, and an iterator would refer to the vector.
    for (unsigned i = 0; i < stored.runs()->size(); ++i)
        arm.runs.push_back(decoded(*stored.runs()->Get(i)));
    arm.num_older = stored.num_older();
    arm.last_look = stored.last_look();
    if (const history1::Reversal* known = stored.reversal(); known != nullptr)
        arm.reversal = Reversal{known->decided_unix_s(), known->slower_by(), known->chance(),
                                known->num_default(), known->num_placed()};
    if (stored.error_runs() != 0) {
        arm.error =
            PredictionError{stored.error_runs(), stored.error_bias(), stored.error_spread(), {}};
        if (stored.gain_runs() != 0)
            arm.error->gain =
                GainRecord{stored.gain_runs(), stored.gain_predicted(), stored.gain_measured()};
    }
    return arm;
}

bool is_sound(const RunArm& arm, const RunRecord& whose, bool is_default) {
    constexpr std::uint64_t most_counted = std::uint64_t{1} << 60;
    if (arm.runs.size() > RunArm::most_runs || arm.num_older > most_counted) return false;
    if (arm.reversal &&
        !(std::isfinite(arm.reversal->slower_by) && std::isfinite(arm.reversal->chance)))
        return false;
    if (arm.error && !arm.error->is_sound()) return false;
    return std::all_of(arm.runs.begin(), arm.runs.end(), [&](const PastRun& run) {
        RunRecord record = whose;
        record.run = run;
        return (run.launched_as != LaunchedAs::placed) == is_default && check_record(record);
    });
}

}  // namespace

std::string encode_history(const ProgramHistory& history) {
    Builder builder;
    std::vector<flatbuffers::Offset<history1::Group>> groups;
    for (const RunGroup& group : history.groups()) {
        const auto by_default = stored(builder, group.by_default);
        std::vector<flatbuffers::Offset<history1::Arm>> placed;
        for (const RunArm& arm : group.placed) placed.push_back(stored(builder, arm));
        groups.push_back(history1::CreateGroup(
            builder, group.num_nodes, group.shape, group.arguments, by_default,
            builder.CreateVector(placed), static_cast<std::uint32_t>(group.clock)));
    }
    builder.Finish(history1::CreateHistory(builder, builder.CreateString(history.application_id()),
                                           builder.CreateString(history.program()),
                                           history.num_ranks(), builder.CreateVector(groups)));
    return with_first_line(
        kind, {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});
}

Result<ProgramHistory> decode_history(std::string_view content) {
    const auto body = body_of(kind, content);
    if (!body) return body.error();
    const Error damaged{Errc::corrupt, "the file is damaged"};
    const std::string aligned(body.value());  // a view into the middle of a text is unaligned
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(aligned.data()),
                                   aligned.size());
    if (!verifier.VerifyBuffer<history1::History>()) return damaged;
    const auto* const stored = flatbuffers::GetRoot<history1::History>(aligned.data());
    if (stored->groups()->size() > run_clock_names.size() * ProgramHistory::most_groups)
        return damaged;
    std::vector<RunGroup> groups;
    for (const history1::Group* one : *stored->groups()) {
        RunRecord whose;
        whose.program = stored->program()->str();
        whose.num_ranks = stored->num_ranks();
        whose.num_nodes = one->num_nodes();
        if (!can_be_read(*one->by_default())) return damaged;
        const auto clock = clock_of(one->clock());
        if (!clock)
            return Error{Errc::not_supported, "the file has a clock of a later version of commmap"};
        RunGroup group{one->num_nodes(),
                       one->shape(),
                       one->arguments(),
                       *clock,
                       restored(*one->by_default()),
                       {}};
        if (one->placed()->size() > RunGroup::most_bases ||
            !is_sound(group.by_default, whose, true))
            return damaged;
        for (const history1::Arm* arm : *one->placed()) {
            if (!can_be_read(*arm)) return damaged;
            group.placed.push_back(restored(*arm));
            if (!is_sound(group.placed.back(), whose, false)) return damaged;
        }
        groups.push_back(std::move(group));
    }
    ProgramHistory history(stored->application_id()->str(), stored->num_ranks());
    history.restore(stored->program()->str(), std::move(groups));
    return history;
}

}  // namespace commmap
