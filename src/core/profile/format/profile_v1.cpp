// Reads the payload of version 1, which 0.1 wrote.
#include <string>
#include <utility>
#include <vector>

#include "core/profile/format/flat_buffer.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/profile_v1_generated.h"
#include "core/profile/profile_checks.hpp"

namespace commmap {
namespace {

constexpr std::uint32_t in_peer_traffic_flag = 1;

/// Checks everything the verifier cannot know, in the order of the schema.
class DecoderV1 {
public:
    explicit DecoderV1(const format::Profile& in) : in_(in), phase_(out_.phases.emplace_back()) {}

    Result<Profile> run(std::size_t content_bytes) {
        out_.application_id = text_of(in_.application_id());
        out_.command = text_of(in_.command());
        out_.mpi_library = text_of(in_.mpi_library());
        out_.recorder_version = text_of(in_.recorder_version());
        out_.recorded_unix_s = in_.recorded_unix_s();
        out_.job_id = in_.job_id();
        out_.step_id = in_.step_id();
        if (in_.ranks()->size() == 0) return corrupt("no ranks");
        if (!is_aligned(in_.ranks()) || !is_aligned(in_.cells()) || !is_aligned(in_.collectives()))
            return corrupt("its lists are not aligned");
        if (const Status s = nodes(content_bytes); !s) return s.error();
        if (const Status s = ranks(); !s) return s.error();
        if (const Status s = communicators(); !s) return s.error();
        if (const Status s = collectives(); !s) return s.error();
        out_.complete = !in_.partial();
        if (in_.missing() != nullptr)
            out_.missing.assign(in_.missing()->begin(), in_.missing()->end());
        if (const Status s = check_missing(out_.missing, out_.complete, out_.num_ranks()); !s)
            return s.error();
        return std::move(out_);
    }

private:
    Status nodes(std::size_t content_bytes) {
        // Strings may overlap in a made-up file: their sum, not their number, is what must be
        // bounded.
        std::size_t total = 0;
        for (const flatbuffers::String* name : *in_.nodes()) {
            total += name->size();
            if (total > content_bytes) return corrupt("node names overlap");
            out_.nodes.push_back(text_of(name));
        }
        return Ok{};
    }

    Status ranks() {
        out_.ranks.resize(in_.ranks()->size());
        phase_.sent.reserve(in_.ranks()->size(), in_.cells()->size());
        std::uint64_t cell = 0;
        std::uint64_t letter = 0;
        for (std::size_t rank = 0; rank < out_.ranks.size(); ++rank) {
            const format::Rank& from = *in_.ranks()->Get(static_cast<flatbuffers::uoffset_t>(rank));
            RankRecord& to = out_.ranks[rank];
            const std::string name = "rank " + std::to_string(rank);
            if (from.num_cells() > in_.cells()->size() - cell)
                return corrupt(name + " has more traffic than the file");
            if (from.cpus_length() > in_.cpus()->size() - letter)
                return corrupt(name + " has more CPUs than the file");
            to.wall_s = from.wall_s();
            to.mpi_s = from.mpi_s();
            to.node = from.node();
            to.cpus.assign(in_.cpus()->c_str() + letter, from.cpus_length());
            letter += from.cpus_length();
            if (Status s = check_rank(name, to, out_); !s) return s;
            for (TrafficCell& sent : phase_.sent.make_row(from.num_cells())) {
                const format::Cell& there =
                    *in_.cells()->Get(static_cast<flatbuffers::uoffset_t>(cell++));
                sent = {there.peer(), there.bucket(), there.count(), there.bytes()};
            }
            const auto id = static_cast<RankId>(rank);
            if (Status s = check_row(id, phase_.sent.sent_by(id), out_.ranks.size()); !s) return s;
        }
        if (cell != in_.cells()->size() || letter != in_.cpus()->size())
            return corrupt("traffic or CPUs of no rank");
        return Ok{};
    }

    Status communicators() {
        std::uint64_t next = 0;
        for (const std::uint32_t size : *in_.communicator_sizes()) {
            if (size > in_.communicator_members()->size() - next)
                return corrupt("communicator " + std::to_string(out_.communicators.size()) +
                               " has more members than the file");
            const auto begin =
                in_.communicator_members()->begin() + static_cast<flatbuffers::uoffset_t>(next);
            out_.communicators.emplace_back(begin, begin + size);
            next += size;
        }
        if (next != in_.communicator_members()->size())
            return corrupt("members of no communicator");
        return check_communicators(out_.communicators, out_.num_ranks());
    }

    Status collectives() {
        for (const format::Collective* from : *in_.collectives()) {
            if (from->flags() > in_peer_traffic_flag)
                return corrupt("collective " + std::to_string(phase_.collectives.size()) +
                               " has unknown flags");
            if (from->op() >= static_cast<std::uint32_t>(CollectiveOp::count_))
                return corrupt("collective " + std::to_string(phase_.collectives.size()) +
                               " is an unknown operation");
            phase_.collectives.push_back({.op = static_cast<CollectiveOp>(from->op()),
                                          .communicator = from->communicator(),
                                          .root = from->root(),
                                          .calls = from->calls(),
                                          .member_calls = 1,  // the mean alone is known
                                          .member_bytes = from->bytes_per_call(),
                                          .in_peer_traffic = from->flags() != 0});
            CollectiveRecord& record = phase_.collectives.back();
            record.bucket = record.bucket_of_mean();
        }
        return check_collectives(phase_.collectives, out_.communicators, out_.num_ranks());
    }

    const format::Profile& in_;
    Profile out_;
    Phase& phase_;
};

}  // namespace

Result<Profile> decode_profile_v1(std::string_view payload) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(payload.data());
    flatbuffers::Verifier verifier(bytes, payload.size());
    if (!format::VerifyProfileBuffer(verifier)) return corrupt("its structure is damaged");
    return DecoderV1(*format::GetProfile(bytes)).run(payload.size());
}

}  // namespace commmap
