// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/unfinished_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/flat_buffer.hpp"
#include "core/base/frames.hpp"
#include "core/profile/recording/profile_merge.hpp"
#include "core/profile/recording/rank_record_codec.hpp"
#include "core/profile/recording/record_sources_generated.hpp"
#include "core/profile/store/node_part_generated.h"
#include "core/profile/store/unfinished_path.hpp"
#include "core/text/ranges.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_part_bytes = std::uint64_t{1} << 30;
constexpr char magic[8] = {'C', 'M', 'P', 'A', 'R', 'T', '3', '\n'};

/// The head of a part. Frames follow: a buffer of node_part.fbs, then one record in each frame.
struct Header {
    char magic[8];
    std::uint64_t rest_xxh3;     ///< hash of what follows
    std::uint64_t version_xxh3;  ///< hash of part_version()
};
static_assert(sizeof(Header) == 24);

constexpr std::string_view version = COMMMAP_VERSION;

/// Names the build that writes a part. Numbers in a part mean what they mean in that build.
std::string part_version() { return std::string(version) + ' ' + record_sources; }
std::uint64_t hash_of_version() {
    const std::string text = part_version();
    return XXH3_64bits(text.data(), text.size());
}
/// Hashes what follows the hash in a part.
std::uint64_t hash_of_rest(std::string_view part) {
    part.remove_prefix(offsetof(Header, version_xxh3));
    return XXH3_64bits(part.data(), part.size());
}

std::string recorded_line(const Profile& profile, const std::string& path) {
    TrafficSum sent;
    for (const Phase& phase : profile.phases) {
        const TrafficSum more = sum_of(phase.sent.cells());
        sent.count += more.count;
        sent.bytes += more.bytes;
    }
    return fmt::format("recorded {} ranks, {} messages, {} bytes in '{}'\n", profile.num_ranks(),
                       sent.count, sent.bytes, path);
}

Result<std::string> line_about(const std::string& path) {
    const auto profile = read_profile_file(path);
    if (!profile) return profile.error();
    return recorded_line(profile.value(), path);
}

}  // namespace

bool NodePart::is_whole_run() const {
    return records.size() == num_ranks &&
           std::all_of(records.begin(), records.end(),
                       [](const RankRecord& record) { return record.finished; });
}

std::string encode_node_part(const NodePart& part) {
    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.version_xxh3 = hash_of_version();
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    flatbuffers::FlatBufferBuilder builder;
    const auto command = builder.CreateString(part.command);
    const auto mpi_library = builder.CreateString(part.mpi_library);
    wire::FinishSizePrefixedNodePartBuffer(
        builder, wire::CreateNodePart(builder, part.num_ranks, command, mpi_library));
    append_frame(bytes, content_of(builder));
    for (const RankRecord& record : part.records) append_frame(bytes, encode_rank_record(record));
    header.rest_xxh3 = hash_of_rest(bytes);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

Result<NodePart> decode_node_part(std::string_view bytes) {
    const Error damaged{Errc::corrupt, "it is damaged"};
    Header header{};
    if (bytes.size() < sizeof header) return damaged;
    std::memcpy(&header, bytes.data(), sizeof header);
    const Error of_another_version{Errc::not_supported, "it is of another version of commmap"};
    if (std::memcmp(header.magic, magic, sizeof magic) != 0) {
        constexpr std::size_t letters_of_all_versions = 6;
        const bool is_part = std::memcmp(header.magic, magic, letters_of_all_versions) == 0;
        return is_part ? of_another_version : damaged;
    }
    if (header.rest_xxh3 != hash_of_rest(bytes)) return damaged;
    if (header.version_xxh3 != hash_of_version()) return of_another_version;
    bytes.remove_prefix(sizeof header);
    std::string_view frame;
    if (!take_frame(bytes, frame)) return damaged;
    const auto head = SizedBuffer<wire::NodePart>::of(frame, wire::NodePartIdentifier());
    if (!head) return damaged;
    NodePart part{
        text_of((*head)->command()), text_of((*head)->mpi_library()), (*head)->num_ranks(), {}};
    while (!bytes.empty()) {
        if (!take_frame(bytes, frame)) return damaged;
        Result<RankRecord> record = decode_rank_record(frame);
        if (!record) return record.error();
        part.records.push_back(std::move(record).value());
    }
    return part;
}

Result<Profile> merge_node_parts(std::vector<NodePart> parts) {
    if (parts.empty()) return Error{Errc::invalid_input, "no node left a part"};
    const std::uint32_t num_ranks = parts[0].num_ranks;
    if (num_ranks == 0 || num_ranks > max_profile_ranks)
        return Error{Errc::corrupt, fmt::format("a part is of {} ranks", num_ranks)};
    // Begins with the largest part. A rank may be in two parts: rank 0 gathered the rank's record,
    // and the rank was killed before it knew.
    std::stable_sort(parts.begin(), parts.end(), [](const NodePart& one, const NodePart& other) {
        return one.records.size() > other.records.size();
    });
    std::vector<RankRecord> records;
    bool complete = true;
    std::vector<bool> there(num_ranks, false);
    for (NodePart& part : parts) {
        if (part.num_ranks != num_ranks)
            return Error{Errc::invalid_input, "the nodes' parts are of different numbers of ranks"};
        for (RankRecord& record : part.records) {
            if (record.rank >= num_ranks)
                return Error{Errc::corrupt, fmt::format("there is no rank {}", record.rank)};
            if (there[record.rank]) continue;
            there[record.rank] = true;
            complete = complete && record.finished;
            records.push_back(std::move(record));
        }
    }
    std::vector<RankId> missing;
    for (RankId rank = 0; rank < num_ranks; ++rank) {
        if (there[rank]) continue;
        missing.push_back(rank);
        RankRecord& record = records.emplace_back();
        record.rank = rank;
        record.application_id = records.front().application_id;  // a guess: nobody knows
        record.program = records.front().program;
        record.node = "?";
    }
    auto merged = merge_rank_records(std::move(records));
    if (!merged) return merged;
    Profile& profile = merged.value();
    if (profile.programs.empty()) profile.command = parts[0].command;
    profile.mpi_library = parts[0].mpi_library;
    profile.recorder_version = version;
    profile.complete = complete && missing.empty();
    profile.missing = std::move(missing);
    return merged;
}

UnfinishedRun::UnfinishedRun(const std::string& profiles, std::uint32_t job, std::uint32_t step)
    : job_(job),
      step_(step),
      profiles_(profiles),
      directory_(unfinished_path(profiles, job, step)) {}

Result<OwnDirectory> UnfinishedRun::held(bool make) const {
    const auto all = OwnDirectory::open(unfinished_directory(profiles_));
    if (!all) return all.error();
    return all.value().open_in(step_name(job_, step_), make);
}

Status UnfinishedRun::keep(std::uint32_t node, const NodePart& part,
                           FileVisibility visibility) const {
    if (Status made = make_directories(profiles_, modes_of(visibility).directory); !made)
        return made;
    if (Status made = make_directories(unfinished_directory(profiles_)); !made) return made;
    const auto directory = held(true);
    if (!directory) return directory.error();
    const Status written = write_file_atomically(
        fmt::format("{}/{}.part", directory.value().path(), node), encode_node_part(part));
    if (!written) return directory.value().named(written.error());
    return Ok{};
}

Result<UnfinishedRun::Parts> UnfinishedRun::parts() const {
    const auto directory = held(false);
    if (!directory && directory.error().code == Errc::not_found)
        return Error{Errc::not_found, fmt::format("'{}' has no parts", directory_)};
    if (!directory) return directory.error();
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(directory.value().path(), error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().extension() == ".part") names.push_back(entry->path());
    if (error)
        return Error{Errc::io, fmt::format("cannot list '{}': {}", directory_, error.message())};
    std::sort(names.begin(), names.end());
    if (names.empty()) return Error{Errc::not_found, fmt::format("'{}' has no parts", directory_)};
    Parts found;
    const auto pass_over = [&](const std::string& name, const Error& why) {
        found.passed_over = directory.value().named(
            {why.code, fmt::format("cannot use '{}': {}", name, why.message)});
    };
    std::map<std::uint32_t, std::size_t> nodes_of_size;
    for (const std::string& name : names) {
        const auto written = fs::last_write_time(name, error);
        if (!error) found.oldest = std::min(found.oldest, written);
        const auto content = read_file(name, most_part_bytes);
        if (!content) return directory.value().named(content.error());
        auto part = decode_node_part(content.value());
        if (!part) {
            pass_over(name, part.error());
            continue;
        }
        ++nodes_of_size[part.value().num_ranks];
        found.parts.push_back(std::move(part).value());
    }
    // Keeps the parts whose number of ranks is the most frequent.
    const auto most = std::max_element(
        nodes_of_size.begin(), nodes_of_size.end(),
        [](const auto& one, const auto& other) { return one.second < other.second; });
    const auto strange = [&](const NodePart& part) { return part.num_ranks != most->first; };
    if (nodes_of_size.size() > 1) {
        std::erase_if(found.parts, strange);
        pass_over(directory_, {Errc::corrupt, "its parts are of different numbers of ranks"});
    }
    if (found.parts.empty()) return *found.passed_over;
    return found;
}

Result<std::string> UnfinishedRun::collect(const ProfileStore& store) const {
    auto found = parts();
    if (!found) {
        // Lists the profiles of all programs, because only parts say of which program the run is.
        const auto saved = store.list();
        const auto line =
            saved ? line_about_step(saved.value(), fs::file_time_type::min()) : std::nullopt;
        if (line) return *line;
        return found.error();
    }
    auto merged = profile_of(std::move(found.value().parts));
    if (!merged) return merged.error();
    // The profile may be saved already: a rank may be killed after rank 0 got its record, and
    // before the rank knows.
    const auto runs = store.runs_of(merged.value().application_id, merged.value().num_ranks());
    // An older profile is of this job before it was queued again, or of another cluster's job.
    constexpr std::chrono::minutes most_between{1};
    const auto since = found.value().oldest - most_between;
    if (const auto line = runs ? line_about_step(runs.value(), since) : std::nullopt) {
        remove();
        return *line;
    }
    auto line = put(merged.value(), store);
    // Keeps the parts if one was passed over, because another build's commmap may read that part.
    if (line && !found.value().passed_over) remove();
    if (line && found.value().passed_over) {
        line.value().pop_back();
        line.value() += fmt::format("; {}\n", found.value().passed_over->message);
    }
    return line;
}

Result<std::string> UnfinishedRun::save(std::vector<NodePart> parts,
                                        const ProfileStore& store) const {
    const auto merged = profile_of(std::move(parts));
    if (!merged) return merged.error();
    return put(merged.value(), store);
}

std::optional<Result<std::string>> UnfinishedRun::line_about_step(
    const std::vector<ProfileStore::Entry>& runs, fs::file_time_type since) const {
    const ProfileStore::Entry* last = nullptr;
    for (const ProfileStore::Entry& run : runs) {
        std::error_code error;
        if (is_run_of(run.name.run, job_, step_) && fs::last_write_time(run.path, error) >= since &&
            !error && (last == nullptr || last->name.run < run.name.run))
            last = &run;
    }
    if (last == nullptr) return std::nullopt;
    return line_about(last->path);
}

Result<Profile> UnfinishedRun::profile_of(std::vector<NodePart> parts) const {
    auto merged = merge_node_parts(std::move(parts));
    if (!merged) return merged;
    Profile& profile = merged.value();
    profile.job_id = job_;
    profile.step_id = step_;
    profile.recorded_unix_s = static_cast<std::uint64_t>(std::time(nullptr));
    if (profile.application_id.empty())
        return Error{Errc::io,
                     fmt::format("the program's own file '{}' cannot be read; set COMMMAP_APP_ID",
                                 profile.command)};
    return merged;
}

Result<std::string> UnfinishedRun::put(const Profile& profile, const ProfileStore& store) {
    if (!profile.complete) {
        // The better profile is another run's, or this run's: a node may come late, after the
        // parts of the other nodes were merged.
        const auto better =
            open_profile_file(store.partial_path_of(profile.application_id, profile.num_ranks()));
        if (better && better.value().head().missing.size() < profile.missing.size())
            return fmt::format(
                "partial profile not kept, {} ranks are missing: an earlier one has more of them\n",
                profile.missing.size());
    }
    const auto saved = store.save(profile);
    if (!saved) {
        Error failed = saved.error();
        if (failed.code == Errc::io || failed.code == Errc::not_found)
            failed.message += "; set COMMMAP_PROFILE_DIR to a directory that can be written";
        return failed;
    }
    if (profile.complete) return recorded_line(profile, saved.value());
    std::string what = "until it was ended";
    if (!profile.missing.empty()) {
        what = "without";
        for (const std::string& range : ranges_of(profile.missing)) what += " " + range;
        what += fmt::format(" of {} ranks", profile.num_ranks());
    }
    return fmt::format("partial profile, {}: '{}'\n", what, saved.value());
}

void UnfinishedRun::remove() const {
    const auto all = OwnDirectory::open(unfinished_directory(profiles_));
    if (!all) return;  // also if there is no directory
    std::error_code error;
    fs::remove_all(all.value().path() + "/" + step_name(job_, step_), error);
    fs::remove(unfinished_directory(profiles_), error);  // fails unless empty
}

}  // namespace commmap
