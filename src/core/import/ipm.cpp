// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number.hpp"
#include "core/import/collective_sums.hpp"
#include "core/import/importer.hpp"
#include "core/import/message_list.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/recording/rank_record.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

// IPM 2 writes a <task> for each rank (src/report_xml.c, etc/wrap_mpi_c.c, etc/ipm_key_mpi). A task
// holds <regions> with their times, and a <hent> for each kind of call. A <hent> has:
// - the call's name and its region;
// - the bytes of one call;
// - the other rank or the root, as a rank of MPI_COMM_WORLD;
// - the number of calls, and "total shortest longest" seconds.

namespace commmap {
namespace {

/// Says what the bytes of a call are.
enum class IpmBytes {
    nothing,    ///< no message of this call is known
    sent,       ///< a message to the other rank
    member,     ///< as the collective's record wants it (docs/formats/profile-format.md)
    to_root,    ///< a message to the root
    from_root,  ///< a message from the root
    own_part,   ///< for reduce_scatter: the caller's part of the input
    to_itself,  ///< for alltoallv: what the caller sends to itself
};

struct IpmCall {
    std::string_view name;
    IpmBytes bytes;
    CollectiveOp op = CollectiveOp::count_;
    bool rooted = false;
};

constexpr std::array ipm_calls{
    IpmCall{"Send", IpmBytes::sent},
    IpmCall{"Ssend", IpmBytes::sent},
    IpmCall{"Rsend", IpmBytes::sent},
    IpmCall{"Bsend", IpmBytes::sent},
    IpmCall{"Isend", IpmBytes::sent},
    IpmCall{"Issend", IpmBytes::sent},
    IpmCall{"Irsend", IpmBytes::sent},
    IpmCall{"Ibsend", IpmBytes::sent},
    IpmCall{"Sendrecv", IpmBytes::sent},
    IpmCall{"Sendrecv_replace", IpmBytes::sent},
    IpmCall{"Barrier", IpmBytes::member, CollectiveOp::barrier},
    IpmCall{"Bcast", IpmBytes::member, CollectiveOp::bcast, true},
    IpmCall{"Reduce", IpmBytes::member, CollectiveOp::reduce, true},
    IpmCall{"Allreduce", IpmBytes::member, CollectiveOp::allreduce},
    IpmCall{"Gather", IpmBytes::member, CollectiveOp::gather, true},
    IpmCall{"Gatherv", IpmBytes::to_root, CollectiveOp::gather, true},
    IpmCall{"Scatter", IpmBytes::member, CollectiveOp::scatter, true},
    IpmCall{"Scatterv", IpmBytes::from_root, CollectiveOp::scatter, true},
    IpmCall{"Scan", IpmBytes::member, CollectiveOp::scan},
    IpmCall{"Allgather", IpmBytes::member, CollectiveOp::allgather},
    IpmCall{"Allgatherv", IpmBytes::member, CollectiveOp::allgather},
    IpmCall{"Alltoall", IpmBytes::member, CollectiveOp::alltoall},
    IpmCall{"Alltoallv", IpmBytes::to_itself, CollectiveOp::alltoall},
    IpmCall{"Reduce_scatter", IpmBytes::own_part, CollectiveOp::reduce_scatter},
};

/// Finds the row of a call. "MPI_Ibcast" has the same row as "MPI_Bcast".
const IpmCall* ipm_call(std::string_view name) {
    if (!name.starts_with("MPI_")) return nullptr;
    name.remove_prefix(4);
    for (const IpmCall& call : ipm_calls) {
        if (call.name == name) return &call;
        const bool nonblocking = call.op != CollectiveOp::count_ && name.size() > 1 &&
                                 name[0] == 'I' && (name[1] | 0x20) == (call.name[0] | 0x20) &&
                                 name.substr(2) == call.name.substr(1);
        if (nonblocking) return &call;
    }
    return nullptr;
}

class IpmReader {
public:
    explicit IpmReader(const ImportFile& file) : file_(file), messages_{MessageList(sums_)} {}

    Result<Imported> read(const ImportOptions& options) {
        if (Status s = parse(); !s) return s.error();
        const pugi::xml_node job = document_.child("ipm_job_profile");
        if (!job)
            return error(document_,
                         "no <ipm_job_profile>: the file is not of IPM 2 (or not whole)");
        if (const pugi::xml_node copy = job.child("taskcopy"))
            return error(copy,
                         "ranks that are copies of others (IPM built with clustering) cannot be "
                         "imported");
        std::size_t num_tasks = 0;
        for ([[maybe_unused]] const pugi::xml_node& task : job.children("task")) ++num_tasks;
        const auto num_ranks = imported_ranks(num_tasks, options.num_ranks, num_tasks);
        if (!num_ranks) return prefixed(one_line(file_.name), num_ranks.error());
        if (num_ranks.value() != num_tasks)
            return error(job, fmt::format("{} tasks instead of {} ranks (--ntasks)", num_tasks,
                                          num_ranks.value()));
        profile_.ranks.resize(num_tasks);
        seen_.resize(num_tasks);
        profile_.phases.emplace_back();
        for (const pugi::xml_node& task : job.children("task"))
            if (Status s = add_task(task); !s) return s.error();
        if (Status s = finish(); !s) return s.error();
        return std::move(imported_);
    }

private:
    /// The times of a phase, summed over ranks.
    struct Times {
        double wall_s = 0.0;
        double mpi_s = 0.0;
    };
    /// The phases of one rank, by region number.
    using Regions = std::map<std::int64_t, std::uint32_t>;

    Error error(const pugi::xml_node& node, const std::string& what) const {
        const auto offset = std::clamp<std::ptrdiff_t>(
            node.offset_debug(), 0, static_cast<std::ptrdiff_t>(file_.content.size()));
        return error_at(static_cast<std::size_t>(offset), what);
    }
    [[nodiscard]] Error error_at(std::size_t offset, const std::string& what) const {
        const std::string_view before = file_.content.substr(0, offset);
        const auto lines = std::count(before.begin(), before.end(), '\n');
        return error_in_line(file_.name, static_cast<std::size_t>(lines) + 1, what);
    }

    Status parse() {
        const pugi::xml_parse_result parsed =
            document_.load_buffer(file_.content.data(), file_.content.size());
        if (parsed) return Ok{};
        const auto offset = std::clamp<std::ptrdiff_t>(
            parsed.offset, 0, static_cast<std::ptrdiff_t>(file_.content.size()));
        return error_at(static_cast<std::size_t>(offset),
                        std::string("no XML: ") + parsed.description() +
                            " (is the file whole? IPM writes '<' of a command line unchanged)");
    }

    Result<std::uint64_t> number(const pugi::xml_node& node, const char* name) const {
        const char* const text = node.attribute(name).value();
        if (const auto value = parse_number(text)) return *value;
        return error(node, fmt::format("<{}> needs a whole number {}, not {}", node.name(), name,
                                       quoted_word(text)));
    }
    Result<double> seconds(const pugi::xml_node& node, std::string_view text) const {
        const std::string_view word = Words(text, " \t\r\n").next();
        double value = 0.0;
        const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
        constexpr double longest = 1e12;
        if (failed == std::errc{} && end == word.data() + word.size() && std::abs(value) < longest)
            return std::max(value, 0.0);  // IPM's differences may be below 0
        return error(node, quoted_word(text) + " is no time in seconds");
    }

    Status add_task(const pugi::xml_node& task) {
        const auto rank = number(task, "mpi_rank");
        if (!rank) return rank.error();
        const auto size = number(task, "mpi_size");
        if (!size) return size.error();
        const std::size_t num_ranks = profile_.num_ranks();
        if (size.value() != num_ranks)
            return error(task, fmt::format("{} tasks of {}: the file is not whole", num_ranks,
                                           size.value()));
        if (rank.value() >= num_ranks || seen_[rank.value()])
            return error(task, fmt::format("rank {} of {}{}", rank.value(), num_ranks,
                                           rank.value() < num_ranks ? " is there twice" : ""));
        seen_[rank.value()] = true;
        const auto id = static_cast<RankId>(rank.value());
        if (Status s = add_place(task, id); !s) return s;
        Regions regions;
        for (const pugi::xml_node& region : task.child("regions").children("region"))
            if (const auto wall = add_region(region, regions, 0); !wall) return wall.error();
        const pugi::xml_node hash = task.child("hash");
        if (!hash)
            return error(task,
                         "no calls (<hash>): IPM writes them with IPM_LOG=full in the environment");
        std::map<std::uint32_t, CallTime> calls;
        for (const pugi::xml_node& hent : hash.children("hent"))
            if (Status s = add_calls(hent, id, regions, calls); !s) return s;
        for (const auto& [call, time] : calls) profile_.ranks[id].calls.push_back(time);
        return Ok{};
    }

    Status add_place(const pugi::xml_node& task, RankId id) {
        const auto wall = seconds(task, task.child("perf").attribute("wtime").as_string("0"));
        if (!wall) return wall.error();
        profile_.ranks[id].wall_s = wall.value();
        const std::string node = one_line(task.child("host").child_value(), 255);
        const auto [place, is_new] = node_of_name_.emplace(
            node.empty() ? "?" : node, static_cast<std::uint32_t>(node_of_name_.size()));
        if (is_new) profile_.nodes.push_back(place->first);
        profile_.ranks[id].node = place->second;
        if (!profile_.command.empty()) return Ok{};
        profile_.command = one_line(task.child("cmdline").attribute("realpath").value(), 4096);
        if (const auto job = parse_number(Words(task.child("job").child_value()).next());
            job && *job <= UINT32_MAX)
            profile_.job_id = static_cast<std::uint32_t>(*job);
        return Ok{};
    }

    /// Adds a region and all regions inside. The time of an inner region does not count for the
    /// outer region.
    /// @return  the region's time, that of the inner regions included
    Result<double> add_region(const pugi::xml_node& region, Regions& regions, int depth) {
        constexpr int deepest = 64;
        if (depth == deepest) return error(region, "regions in each other deeper than 64");
        auto wall = seconds(region, region.attribute("wtime").as_string("0"));
        if (!wall) return wall.error();
        double inside = 0.0;
        for (const pugi::xml_node& child : region.child("regions").children("region")) {
            auto its = add_region(child, regions, depth + 1);
            if (!its) return its;
            inside += its.value();
        }
        const std::string_view label = region.attribute("label").value();
        const std::uint32_t phase = label == "ipm_noregion" ? 0 : phase_of(label);
        times_[phase].wall_s += std::max(wall.value() - inside, 0.0);
        Phase& to = profile_.phases[phase];
        const auto times = parse_number(region.attribute("nexits").value());
        if (phase > 0 && times) to.entered = std::max(to.entered, *times);
        // Skips phase 0: the part outside of regions has the number of main().
        const auto number = parse_number(region.attribute("id").value());
        if (phase > 0 && number && *number < UINT32_MAX)
            regions.emplace(static_cast<std::int64_t>(*number), phase);
        return wall;
    }

    std::uint32_t phase_of(std::string_view label) {
        constexpr std::string_view others = "(others)";
        std::string name(label.substr(0, RankRecord::most_letters));
        if (name.empty()) return 0;
        const auto known = phase_of_label_.find(name);
        if (known != phase_of_label_.end()) return known->second;
        if (profile_.phases.size() + 1 >= max_profile_phases) name = others;
        const auto [place, is_new] =
            phase_of_label_.emplace(name, static_cast<std::uint32_t>(profile_.phases.size()));
        if (is_new) {
            profile_.phases.emplace_back().label = name;
            messages_.emplace_back(sums_);
        }
        return place->second;
    }

    Status add_calls(const pugi::xml_node& hent, RankId rank, const Regions& regions,
                     std::map<std::uint32_t, CallTime>& calls) {
        const std::string_view name = hent.attribute("call").value();
        if (!name.starts_with("MPI_")) return Ok{};  // an entry of IPM's other modules
        const auto count = number(hent, "count");
        if (!count) return count.error();
        const auto time = seconds(hent, hent.child_value());
        if (!time) return time.error();
        std::uint32_t phase = 0;
        if (const auto region = parse_number(hent.attribute("region").value());
            region && *region < UINT32_MAX)
            if (const auto known = regions.find(static_cast<std::int64_t>(*region));
                known != regions.end())
                phase = known->second;
        if (name != "MPI_Init" && name != "MPI_Init_thread" && name != "MPI_Finalize") {
            profile_.ranks[rank].mpi_s += time.value();
            times_[phase].mpi_s += time.value();
            const std::uint32_t call = call_number(name);
            CallTime& sum = calls.emplace(call, CallTime{call, 0.0F, 0}).first->second;
            sum.seconds += static_cast<float>(time.value());
            if (__builtin_add_overflow(sum.count, count.value(), &sum.count))
                return error(hent, "more calls than 64 bits can count");
        }
        const IpmCall* const call = ipm_call(name);
        if (call == nullptr || count.value() == 0) return Ok{};
        return add_bytes(hent, *call, rank, phase, count.value());
    }

    std::uint32_t call_number(std::string_view name) {
        const auto [place, is_new] = call_of_name_.emplace(
            one_line(name, 80), static_cast<std::uint32_t>(call_of_name_.size()));
        if (is_new) profile_.call_names.push_back(place->first);
        return place->second;
    }

    /// Reads the other rank. IPM writes MPI_PROC_NULL and the like as rank 0: only the key tells
    /// the difference. The key's last 30 bits are the rank, and the three highest values are none.
    Result<std::optional<RankId>> other_rank(const pugi::xml_node& hent) const {
        const std::string_view key = hent.attribute("key").value();
        constexpr std::uint64_t rank_bits = 0x3FFFFFFF;
        std::uint64_t low = 0;
        if (key.size() == 32) {
            const auto [end, failed] = std::from_chars(key.data() + 16, key.data() + 32, low, 16);
            if (failed == std::errc{} && end == key.data() + 32 &&
                (low & rank_bits) >= rank_bits - 2)
                return std::optional<RankId>();
        }
        const std::string_view text = hent.attribute("orank").value();
        const auto rank = parse_number(text);
        if (rank && *rank < profile_.num_ranks()) return std::optional(static_cast<RankId>(*rank));
        return error(hent,
                     fmt::format("orank {} is none of the {} ranks{}", quoted_word(text),
                                 profile_.num_ranks(),
                                 text.starts_with('-') ? " (IPM built with clustering?)" : ""));
    }

    Status add_bytes(const pugi::xml_node& hent, const IpmCall& call, RankId rank,
                     std::uint32_t phase, std::uint64_t count) {
        const auto length = number(hent, "bytes");
        if (!length) return length.error();
        std::uint64_t bytes = 0;
        if (__builtin_mul_overflow(length.value(), count, &bytes))
            return error(hent, "more bytes than 64 bits can count");
        std::optional<RankId> other;
        if (call.rooted || call.bytes == IpmBytes::sent) {
            const auto read = other_rank(hent);
            if (!read) return read.error();
            other = read.value();
            if (!other) return Ok{};  // to nobody, or a root of another group
        }
        const auto placed = [&](const Status& status) {
            return status ? status : Status(error(hent, status.error().message));
        };
        if (call.bytes == IpmBytes::sent)
            return placed(messages_[phase].add(rank, *other, count, bytes));
        const bool in_peer_traffic =
            call.bytes == IpmBytes::to_root || call.bytes == IpmBytes::from_root;
        const bool to_root = call.bytes == IpmBytes::to_root;
        if (in_peer_traffic && *other != rank && bytes > 0) {
            const Status added = messages_[phase].add(to_root ? rank : *other,
                                                      to_root ? *other : rank, count, bytes);
            if (!added) return placed(added);
        }
        if (call.bytes == IpmBytes::to_itself) has_alltoallv_ = true;
        if (call.op == CollectiveOp::barrier) bytes = 0;
        return placed(collectives_.add({.phase = phase,
                                        .op = call.op,
                                        .root = call.rooted ? *other : no_id,
                                        .in_peer_traffic = in_peer_traffic},
                                       rank, count, bytes));
    }

    /// Completes the profile. IPM does not write the communicator of a call. The members are taken
    /// to be the ranks that made the call (with that root), and the root.
    Status finish() {
        std::map<std::vector<RankId>, std::uint32_t> communicators;
        for (const auto& [key, sum] : collectives_.sums()) {
            std::vector<RankId> members = sum.members;
            if (key.root != no_id) members.push_back(key.root);
            std::sort(members.begin(), members.end());
            members.erase(std::unique(members.begin(), members.end()), members.end());
            const std::uint64_t num_members = members.size();
            const auto [place, is_new] = communicators.emplace(
                std::move(members), static_cast<std::uint32_t>(communicators.size()));
            if (is_new) profile_.communicators.push_back(place->first);
            CollectiveRecord record = record_of(key, sum, place->second);
            // Each member counted its own part, and the input of each is all parts together.
            if (key.op == CollectiveOp::reduce_scatter &&
                __builtin_mul_overflow(record.member_bytes, num_members, &record.member_bytes))
                return error(document_, "more bytes of MPI_Reduce_scatter than 64 bits can count");
            profile_.phases[key.phase].collectives.push_back(record);
        }
        const auto num_ranks = static_cast<double>(profile_.num_ranks());
        for (std::size_t i = 0; i < profile_.phases.size(); ++i) {
            Phase& phase = profile_.phases[i];
            const Times times = times_[static_cast<std::uint32_t>(i)];
            phase.wall_s = times.wall_s / num_ranks;
            phase.mpi_s = times.mpi_s / num_ranks;
            phase.sent = messages_[i].rows(profile_.num_ranks());
        }
        if (has_alltoallv_)
            imported_.notes.emplace_back(
                "of MPI_Alltoallv IPM writes only what each rank sends to itself: it is taken for "
                "what it sends to each");
        if (!profile_.communicators.empty())
            imported_.notes.emplace_back(
                "IPM does not write on which communicator a collective is: each is taken to be on "
                "that of all ranks that call it");
        return Ok{};
    }

    const ImportFile& file_;
    pugi::xml_document document_;
    Imported imported_;
    Profile& profile_ = imported_.profile;
    ImportedSums sums_;
    std::vector<MessageList> messages_;  ///< by phase
    std::map<std::uint32_t, Times> times_;
    CollectiveSums collectives_;
    std::vector<bool> seen_;
    std::map<std::string, std::uint32_t> node_of_name_;
    std::map<std::string, std::uint32_t> phase_of_label_;
    std::map<std::string, std::uint32_t> call_of_name_;
    bool has_alltoallv_ = false;
};

}  // namespace

Result<Imported> import_ipm(std::span<const ImportFile> files, const ImportOptions& options) {
    return IpmReader(files.front()).read(options);
}

}  // namespace commmap
