#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "core/profile/profile_generated.h"
#include "core/profile/store.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

/// The first 32 bytes of a file.
struct Header {
    char magic[8];
    std::uint32_t version;
    std::uint32_t reserved;  ///< 0
    std::uint64_t payload_bytes;
    std::uint64_t payload_xxh3;
};
static_assert(sizeof(Header) == 32);

constexpr char magic[8] = {'C', 'O', 'M', 'M', 'M', 'A', 'P', '\n'};
constexpr std::uint32_t in_peer_traffic_flag = 1;

Error corrupt(std::string what) { return Error{Errc::corrupt, std::move(what)}; }

std::string text_of(const flatbuffers::String* text) { return {text->c_str(), text->size()}; }

/// Checks everything the verifier cannot know, in the order of the schema, then copies.
class Decoder {
public:
    explicit Decoder(const format::Profile& in) : in_(in) {}

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
        if (const Status s = missing(); !s) return s.error();
        return std::move(out_);
    }

private:
    /// The verifier looks at a list's length word, not at the alignment of what follows it (which
    /// the builder leaves as it is when nothing follows).
    template <class Struct>
    static bool is_aligned(const flatbuffers::Vector<const Struct*>* list) {
        return list->size() == 0 ||
               reinterpret_cast<std::uintptr_t>(list->Data()) % alignof(Struct) == 0;
    }

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
        std::uint64_t cell = 0;
        std::uint64_t letter = 0;
        for (std::size_t rank = 0; rank < out_.ranks.size(); ++rank) {
            const format::Rank& from = *in_.ranks()->Get(static_cast<flatbuffers::uoffset_t>(rank));
            RankRecord& to = out_.ranks[rank];
            const std::string name = "rank " + std::to_string(rank);
            const auto is_time = [](double s) { return std::isfinite(s) && s >= 0.0; };
            if (!is_time(from.wall_s()) || !is_time(from.mpi_s()))
                return corrupt(name + " has an impossible time");
            if (from.node() >= out_.nodes.size())
                return corrupt(name + " ran on node " + std::to_string(from.node()) + " of " +
                               std::to_string(out_.nodes.size()));
            if (from.num_cells() > in_.cells()->size() - cell)
                return corrupt(name + " has more traffic than the file");
            if (from.cpus_length() > in_.cpus()->size() - letter)
                return corrupt(name + " has more CPUs than the file");
            to.wall_s = from.wall_s();
            to.mpi_s = from.mpi_s();
            to.node = from.node();
            to.cpus.assign(in_.cpus()->c_str() + letter, from.cpus_length());
            letter += from.cpus_length();
            if (Status s = cells(name, cell, cell + from.num_cells(), to.sent); !s) return s;
            cell += from.num_cells();
        }
        if (cell != in_.cells()->size() || letter != in_.cpus()->size())
            return corrupt("traffic or CPUs of no rank");
        return Ok{};
    }

    Status cells(const std::string& rank_name, std::uint64_t begin, std::uint64_t end,
                 std::vector<PeerTraffic>& to) {
        std::uint64_t previous = 0;  // peer and bucket in one number, plus one
        for (std::uint64_t i = begin; i < end; ++i) {
            const format::Cell& from = *in_.cells()->Get(static_cast<flatbuffers::uoffset_t>(i));
            if (from.peer() >= out_.ranks.size())
                return corrupt(rank_name + " sends to rank " + std::to_string(from.peer()) +
                               " of " + std::to_string(out_.ranks.size()));
            if (from.bucket() >= num_size_buckets || from.count() == 0)
                return corrupt(rank_name + " has a bad size bucket");
            const std::uint64_t key =
                std::uint64_t{from.peer()} * num_size_buckets + from.bucket() + 1;
            if (key <= previous) return corrupt(rank_name + " has peers out of order");
            previous = key;
            if (to.empty() || to.back().peer != from.peer()) to.emplace_back().peer = from.peer();
            to.back().count[from.bucket()] = from.count();
            to.back().bytes[from.bucket()] = from.bytes();
        }
        return Ok{};
    }

    Status missing() {
        if (in_.missing() == nullptr) return Ok{};
        for (const RankId rank : *in_.missing()) {
            if (rank >= out_.ranks.size() ||
                (!out_.missing.empty() && rank <= out_.missing.back()) || out_.complete)
                return corrupt("it has a wrong list of missing ranks");
            out_.missing.push_back(rank);
        }
        return Ok{};
    }

    Status communicators() {
        std::uint64_t next = 0;
        std::vector<std::uint32_t> last_seen_in(out_.ranks.size(), no_id);
        for (std::uint32_t id = 0; id < in_.communicator_sizes()->size(); ++id) {
            const std::uint32_t size = in_.communicator_sizes()->Get(id);
            const std::string name = "communicator " + std::to_string(id);
            if (size == 0) return corrupt(name + " is empty");
            if (size > in_.communicator_members()->size() - next)
                return corrupt(name + " has more members than the file");
            std::vector<RankId>& members = out_.communicators.emplace_back();
            members.reserve(size);
            for (std::uint32_t i = 0; i < size; ++i) {
                const auto at = static_cast<flatbuffers::uoffset_t>(next + i);
                const RankId member = in_.communicator_members()->Get(at);
                if (member >= out_.ranks.size())
                    return corrupt(name + " has rank " + std::to_string(member) + " of " +
                                   std::to_string(out_.ranks.size()));
                if (std::exchange(last_seen_in[member], id) == id)
                    return corrupt(name + " has rank " + std::to_string(member) + " twice");
                members.push_back(member);
            }
            next += size;
        }
        if (next != in_.communicator_members()->size())
            return corrupt("members of no communicator");
        return Ok{};
    }

    Status collectives() {
        for (std::uint32_t id = 0; id < in_.collectives()->size(); ++id) {
            const format::Collective& from = *in_.collectives()->Get(id);
            const std::string name = "collective " + std::to_string(id);
            if (from.op() >= static_cast<std::uint32_t>(CollectiveOp::count_))
                return corrupt(name + " is an unknown operation");
            if (from.communicator() >= out_.communicators.size())
                return corrupt(name + " is on communicator " + std::to_string(from.communicator()) +
                               " of " + std::to_string(out_.communicators.size()));
            if (from.root() != no_id && from.root() >= out_.ranks.size())
                return corrupt(name + " has root " + std::to_string(from.root()) + " of " +
                               std::to_string(out_.ranks.size()));
            if (from.flags() > in_peer_traffic_flag) return corrupt(name + " has unknown flags");
            out_.collectives.push_back({.op = static_cast<CollectiveOp>(from.op()),
                                        .communicator = from.communicator(),
                                        .root = from.root(),
                                        .calls = from.calls(),
                                        .bytes_per_call = from.bytes_per_call(),
                                        .in_peer_traffic = from.flags() == in_peer_traffic_flag});
        }
        return roots_are_members();
    }

    /// Communicator by communicator, so that the cost stays linear whatever the file says.
    Status roots_are_members() {
        std::vector<std::uint32_t> order(out_.collectives.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return out_.collectives[a].communicator < out_.collectives[b].communicator;
        });
        std::vector<std::uint32_t> member_of(out_.ranks.size(), no_id);
        std::uint32_t current = no_id;
        for (const std::uint32_t id : order) {
            const CollectiveRecord& record = out_.collectives[id];
            if (std::exchange(current, record.communicator) != record.communicator)
                for (const RankId rank : out_.communicators[current]) member_of[rank] = current;
            if (record.root != no_id && member_of[record.root] != current)
                return corrupt("collective " + std::to_string(id) + " has root " +
                               std::to_string(record.root) + ", not a member of its communicator");
        }
        return Ok{};
    }

    const format::Profile& in_;
    Profile out_;
};

}  // namespace

std::string encode_profile(const Profile& profile) {
    std::vector<std::uint32_t> sizes;
    std::vector<std::uint32_t> members;
    for (const auto& communicator : profile.communicators) {
        sizes.push_back(static_cast<std::uint32_t>(communicator.size()));
        members.insert(members.end(), communicator.begin(), communicator.end());
    }
    std::vector<format::Collective> collectives;
    for (const CollectiveRecord& record : profile.collectives)
        collectives.emplace_back(record.calls, record.bytes_per_call, record.communicator,
                                 record.root, static_cast<std::uint32_t>(record.op),
                                 record.in_peer_traffic ? in_peer_traffic_flag : 0u);
    std::vector<format::Rank> ranks;
    std::vector<format::Cell> cells;
    std::string cpus;
    for (const RankRecord& rank : profile.ranks) {
        const std::size_t before = cells.size();
        for (const PeerTraffic& to : rank.sent)
            for (std::uint32_t bucket = 0; bucket < num_size_buckets; ++bucket)
                if (to.count[bucket] > 0)
                    cells.emplace_back(to.peer, bucket, to.count[bucket], to.bytes[bucket]);
        cpus += rank.cpus;
        ranks.emplace_back(rank.wall_s, rank.mpi_s, cells.size() - before, rank.node,
                           static_cast<std::uint32_t>(rank.cpus.size()));
    }

    flatbuffers::FlatBufferBuilder builder(4096 + cells.size() * sizeof(format::Cell));
    const auto application_id = builder.CreateString(profile.application_id);
    const auto command = builder.CreateString(profile.command);
    const auto mpi_library = builder.CreateString(profile.mpi_library);
    const auto recorder_version = builder.CreateString(profile.recorder_version);
    const auto nodes = builder.CreateVectorOfStrings(profile.nodes);
    const auto sizes_at = builder.CreateVector(sizes);
    const auto members_at = builder.CreateVector(members);
    const auto collectives_at = builder.CreateVectorOfStructs(collectives);
    const auto ranks_at = builder.CreateVectorOfStructs(ranks);
    const auto cells_at = builder.CreateVectorOfStructs(cells);
    const auto cpus_at = builder.CreateString(cpus);
    flatbuffers::Offset<flatbuffers::Vector<RankId>> missing_at;
    if (!profile.missing.empty()) missing_at = builder.CreateVector(profile.missing);
    builder.Finish(format::CreateProfile(
        builder, application_id, command, mpi_library, recorder_version, profile.recorded_unix_s,
        profile.job_id, nodes, sizes_at, members_at, collectives_at, ranks_at, cells_at, cpus_at,
        !profile.complete, missing_at, profile.step_id));

    Header header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.version = profile_format_version;
    header.payload_bytes = builder.GetSize();
    header.payload_xxh3 = XXH3_64bits(builder.GetBufferPointer(), builder.GetSize());
    std::string content(sizeof header + builder.GetSize(), '\0');
    std::memcpy(content.data(), &header, sizeof header);
    std::memcpy(content.data() + sizeof header, builder.GetBufferPointer(), builder.GetSize());
    return content;
}

Result<Profile> decode_profile(std::string_view content) {
    Header header;
    if (content.empty()) return corrupt("it is empty");
    if (content.substr(0, sizeof magic) !=
        std::string_view(magic, sizeof magic).substr(0, content.size()))
        return corrupt("it does not begin like a commmap profile");
    if (content.size() < sizeof header) return corrupt("it ends inside its header");
    std::memcpy(&header, content.data(), sizeof header);
    if (header.version > profile_format_version)
        return Error{Errc::not_supported, "it has format version " +
                                              std::to_string(header.version) +
                                              ", this commmap reads up to version " +
                                              std::to_string(profile_format_version)};
    if (header.version == 0 || header.reserved != 0) return corrupt("its header is damaged");
    std::string_view payload = content.substr(sizeof header);
    if (payload.size() != header.payload_bytes)
        return corrupt("it has " + std::to_string(payload.size()) +
                       " bytes of payload instead of " + std::to_string(header.payload_bytes));
    if (payload.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) return corrupt("it is too large");
    if (XXH3_64bits(payload.data(), payload.size()) != header.payload_xxh3)
        return corrupt("its checksum is wrong");

    // FlatBuffers reads in place and wants 8-byte alignment, which a view into something else need
    // not have.
    std::vector<std::uint64_t> aligned;
    if (reinterpret_cast<std::uintptr_t>(payload.data()) % alignof(std::uint64_t) != 0) {
        aligned.resize(payload.size() / sizeof(std::uint64_t) + 1);
        std::memcpy(aligned.data(), payload.data(), payload.size());
        payload = {reinterpret_cast<const char*>(aligned.data()), payload.size()};
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(payload.data());
    flatbuffers::Verifier verifier(bytes, payload.size());
    if (!format::VerifyProfileBuffer(verifier)) return corrupt("its structure is damaged");
    return Decoder(*format::GetProfile(bytes)).run(content.size());
}

}  // namespace commmap
