// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/profile_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/flat_buffer.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/profile_v3_generated.h"
#include "core/profile/format/rounds_section.hpp"
#include "core/profile/format/section_source.hpp"
#include "core/profile/format/topologies_section.hpp"
#include "core/profile/format/zstd.hpp"
#include "core/profile/profile_checks.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

/// Tells whether all lists have this size, and are aligned so that they can be read in place.
template <class... Lists>
bool fit(std::size_t size, const Lists*... lists) {
    return ((lists->size() == size && is_aligned(lists)) && ...);
}

}  // namespace

/// Reads and checks the pieces of an opened profile.
class ProfileFile::Contents {
public:
    explicit Contents(SectionSource source) : source_(std::move(source)) {}

    Status open() {
        const std::uint64_t size = source_.size();
        if (size == 0) return corrupt("it is empty");
        const auto start = source_.read(0, std::min<std::uint64_t>(size, sizeof(ProfileHeader)));
        if (!start) return start.error();
        const std::string_view letters(ProfileHeader::magic_letters,
                                       sizeof ProfileHeader::magic_letters);
        const std::string_view there = start.value().view();
        if (there.substr(0, letters.size()) != letters.substr(0, there.size()))
            return corrupt("it does not begin like a commmap profile");
        if (there.size() < sizeof(ProfileHeader)) return corrupt("it ends inside its header");
        ProfileHeader header;
        std::memcpy(&header, there.data(), sizeof header);
        if (header.version > profile_format_version)
            return Error{
                Errc::not_supported,
                fmt::format("it has format version {}, this commmap reads up to version {}",
                            header.version, profile_format_version)};
        if (header.version == 0 || header.reserved != 0) return corrupt("its header is damaged");
        if (header.version < oldest_profile_format_version)
            return Error{Errc::corrupt,
                         fmt::format("it has format version {}, which commmap reads no longer",
                                     header.version)};
        const std::uint64_t rest = size - sizeof header;
        if (header.index_bytes > rest)
            return corrupt(
                fmt::format("it has {} bytes of payload instead of {}", rest, header.index_bytes));
        if (header.index_bytes >= FLATBUFFERS_MAX_BUFFER_SIZE) return corrupt("it is too large");
        auto index = source_.read(sizeof header, header.index_bytes);
        if (!index) return index.error();
        const std::string_view bytes = index.value().view();
        if (XXH3_64bits(bytes.data(), bytes.size()) != header.index_xxh3)
            return corrupt("its checksum is wrong");
        return open_index(std::move(index).value(), header);
    }

    [[nodiscard]] const Profile& head() const { return head_; }
    [[nodiscard]] std::size_t num_ranks() const { return num_ranks_; }
    [[nodiscard]] const std::vector<PhaseSummary>& phases() const { return phases_; }

    Result<std::vector<ProfileRank>> ranks() const {
        std::vector<ProfileRank> ranks;
        const format3::Index& index = **index_;
        Status added = add_parts<format3::Ranks>(
            index.ranks(), "ranks", [&](const auto& in, const format3::RankSection& part) {
                return add_ranks(in, part.num_ranks(), ranks);
            });
        if (added)
            added = add_parts<format3::Calls>(
                index.calls(), "calls",
                [&](const auto& in, const auto& part) { return add_calls(in, part, ranks); });
        if (added)
            added = add_parts<format3::Waits>(
                index.waits(), "waits",
                [&](const auto& in, const auto& part) { return add_waits(in, part, ranks); });
        if (added)
            added = add_parts<format3::OpenSends>(
                index.open_sends(), "open sends",
                [&](const auto& in, const auto& part) { return add_open_sends(in, part, ranks); });
        if (!added) return added.error();
        return ranks;
    }

    Result<std::vector<std::vector<RankId>>> communicators() const {
        const auto in = read<format3::Communicators>(*(*index_)->communicators(), "communicators");
        if (!in) return in.error();
        const auto* sizes = in.value()->size();
        const auto* members = in.value()->members();
        if (!is_aligned(sizes) || !is_aligned(members)) return corrupt("its lists are not aligned");
        std::vector<std::vector<RankId>> communicators;
        std::uint64_t next = 0;
        for (const std::uint32_t size : *sizes) {
            if (size > members->size() - next)
                return corrupt(fmt::format("communicator {} has more members than the file",
                                           communicators.size()));
            communicators.emplace_back(members->data() + next, members->data() + next + size);
            next += size;
        }
        if (next != members->size()) return corrupt("members of no communicator");
        if (Status s = check_communicators(communicators, num_ranks_); !s) return s.error();
        return communicators;
    }

    /// @param num_communicators  number of this profile's communicators
    Result<Rounds> rounds(std::size_t num_communicators) const {
        Rounds rounds;
        if ((*index_)->rounds() == nullptr) return rounds;
        const auto collectives =
            read<format3::RoundCollectives>(*(*index_)->round_collectives(), "rounds");
        if (!collectives) return collectives.error();
        if (Status s = add_round_collectives(*collectives.value(), rounds.collectives); !s)
            return s.error();
        const RoundLimits limits{num_ranks_, num_communicators, rounds.collectives.size()};
        if (Status s = check_round_collectives(rounds.collectives, limits); !s) return s.error();
        for (const format3::RankSection* part : *(*index_)->rounds()) {
            const auto in = read<format3::Rounds>(part->section(), "rounds");
            if (!in) return in.error();
            if (Status s = add_rounds(*in.value(), part->num_ranks(), part->section().raw_bytes(),
                                      limits, rounds.ranks);
                !s)
                return s.error();
        }
        return rounds;
    }

    /// @param communicators  this profile's communicators
    Result<std::vector<ProcessTopology>> topologies(
        const std::vector<std::vector<RankId>>& communicators) const {
        if ((*index_)->topologies() == nullptr) return std::vector<ProcessTopology>();
        const auto in = read<format3::Topologies>(*(*index_)->topologies(), "topologies");
        if (!in) return in.error();
        return read_topologies(*in.value(), communicators, num_ranks_);
    }

    /// @param communicators  this profile's communicators
    Result<Phase> phase(std::size_t number,
                        const std::vector<std::vector<RankId>>& communicators) const {
        const format3::Phase& in =
            *(*index_)->phases()->Get(static_cast<flatbuffers::uoffset_t>(number));
        const std::string name = fmt::format("phase {}", number);
        Phase phase;
        phase.label = text_of(in.label());
        phase.wall_s = in.wall_s();
        phase.mpi_s = in.mpi_s();
        phase.entered = in.entered();
        if (in.times() != nullptr) {
            if (!is_aligned(in.times())) return corrupt("its lists are not aligned");
            for (const format3::TimeRange* time : *in.times())
                phase.times.push_back({time->begin_s(), time->end_s()});
        }
        if (Status s = check_times(name, phase); !s) return s.error();
        const auto collectives = read<format3::Collectives>(*in.collectives(), name);
        if (!collectives) return collectives.error();
        if (Status s = add_collectives(collectives.value(), phase.collectives); !s)
            return s.error();
        if (Status s = check_collectives(phase.collectives, communicators, num_ranks_); !s)
            return s.error();
        // Takes no more room than a cell for each byte of the file, whatever a made-up index says.
        phase.sent.reserve(num_ranks_, std::min(phases_[number].num_cells, source_.size()));
        for (const format3::RankSection* part : *in.traffic()) {
            const auto rows = read<format3::Traffic>(part->section(), name);
            if (!rows) return rows.error();
            if (Status s = add_rows(rows.value(), *part, phase.sent); !s) return s.error();
        }
        if (Status s = add_rank_times(in, name, phase); !s) return s.error();
        const TrafficSum sum = sum_of(phase.sent.cells());
        if (sum.count != in.num_messages() || sum.bytes != in.num_bytes())
            return corrupt(name + ": its sums are not those of its messages");
        return phase;
    }

private:
    Status open_index(AlignedBytes bytes, const ProfileHeader& header) {
        const std::uint64_t index_bytes = header.index_bytes;
        auto index = SectionTable<format3::Index>::of(std::move(bytes), "");
        if (!index) return index.error();
        index_ = std::move(index).value();
        const format3::Index& in = **index_;
        sections_begin_ = sizeof(ProfileHeader) + index_bytes;
        num_ranks_ = in.num_ranks();
        if (num_ranks_ == 0) return corrupt("no ranks");
        if (num_ranks_ > max_profile_ranks)
            return corrupt(fmt::format("it is of {} ranks", num_ranks_));
        head_.application_id = text_of(in.application_id());
        head_.command = text_of(in.command());
        head_.mpi_library = text_of(in.mpi_library());
        head_.recorder_version = text_of(in.recorder_version());
        head_.recorded_unix_s = in.recorded_unix_s();
        head_.job_id = in.job_id();
        head_.step_id = in.step_id();
        head_.runs = in.runs();
        if (head_.runs == 0 || head_.runs > max_profile_runs)
            return corrupt(fmt::format("it is of {} runs", head_.runs));
        head_.complete = !in.partial();
        head_.slice_s = in.slice_s();
        head_.phases_lost = in.phases_lost();
        if (!is_time(head_.slice_s)) return corrupt("it has impossible time slices");
        // Bounds the sum of the lengths, because strings may overlap in a made-up file.
        std::uint64_t letters = 0;
        std::vector<std::string> program_ids;
        std::vector<std::string> program_names;
        for (const auto& [from, to] :
             {std::pair{in.nodes(), &head_.nodes}, std::pair{in.call_names(), &head_.call_names},
              std::pair{in.localities(), &head_.localities},
              std::pair{in.program_ids(), &program_ids},
              std::pair{in.program_names(), &program_names}}) {
            if (from == nullptr) continue;
            for (const flatbuffers::String* name : *from) {
                letters += name->size();
                if (letters > index_bytes) return corrupt("its names overlap");
                to->push_back(text_of(name));
            }
        }
        if (program_ids.size() != program_names.size())
            return corrupt("its programs have not a name each");
        for (std::size_t i = 0; i < program_ids.size(); ++i)
            head_.programs.push_back({std::move(program_ids[i]), std::move(program_names[i])});
        if (in.missing() != nullptr)
            head_.missing.assign(in.missing()->begin(), in.missing()->end());
        if (Status s = check_missing(head_.missing, head_.complete, num_ranks_); !s) return s;
        const bool has_rank_times = std::ranges::any_of(
            *in.phases(),
            [](const format3::Phase* phase) { return phase->rank_times() != nullptr; });
        if (header.version < 3 &&
            (in.rounds() != nullptr || in.topologies() != nullptr || in.waits() != nullptr ||
             in.open_sends() != nullptr || has_rank_times))
            return corrupt("it has more than its version knows");
        return check_sections(in);
    }

    /// Checks that all ranks are there, that every section lies in the file, and that the last
    /// section ends with the file.
    Status check_sections(const format3::Index& in) {
        if (in.phases()->size() > max_profile_phases)
            return corrupt(fmt::format("it has {} phases", in.phases()->size()));
        if (Status s = check(*in.communicators()); !s) return s;
        if (Status s = check(in.ranks(), nullptr); !s) return s;
        if (Status s = check(in.calls(), nullptr); !s) return s;
        if ((in.rounds() == nullptr) != (in.round_collectives() == nullptr))
            return corrupt("it has half of its rounds");
        if (in.rounds() != nullptr && num_ranks_ > Rounds::most_ranks)
            return corrupt("it has rounds of too many ranks");
        if (in.rounds() != nullptr) {
            if (Status s = check(*in.round_collectives()); !s) return s;
            if (Status s = check(in.rounds(), nullptr); !s) return s;
        }
        for (const auto* parts : {in.waits(), in.open_sends()}) {
            if (parts == nullptr) continue;
            if (Status s = check(parts, nullptr); !s) return s;
        }
        if (in.topologies() != nullptr) {
            if (Status s = check(*in.topologies()); !s) return s;
        }
        for (const format3::Phase* phase : *in.phases()) {
            PhaseSummary& summary = phases_.emplace_back();
            if (phase->label() != nullptr && phase->label()->size() > max_label_letters)
                return corrupt("a phase has a name that is too long");
            if (phase->times() != nullptr && phase->times()->size() > max_time_slices)
                return corrupt("a phase has more times than there are time slices");
            summary.label = text_of(phase->label());
            summary.sent = {phase->num_messages(), phase->num_bytes()};
            if (Status s = check(*phase->collectives()); !s) return s;
            if (Status s = check(phase->traffic(), &summary.num_cells); !s) return s;
            if (phase->rank_times() == nullptr) continue;
            if (Status s = check(phase->rank_times(), nullptr); !s) return s;
        }
        // No part of the file is in two sections. So a reader takes no more bytes than the file
        // has, except by decompression.
        std::sort(places_.begin(), places_.end());
        std::uint64_t end = 0;
        for (const auto& [offset, bytes] : places_) {
            if (offset != end) return corrupt("its sections do not stand one behind the other");
            end += bytes;
        }
        places_.clear();
        end += sections_begin_;
        if (end != source_.size())
            return corrupt(fmt::format("it has {} bytes instead of {}", source_.size(), end));
        return Ok{};
    }
    Status check(const flatbuffers::Vector<const format3::RankSection*>* parts,
                 std::uint64_t* num_cells) {
        if (!is_aligned(parts)) return corrupt("its lists are not aligned");
        std::uint64_t next = 0;
        for (const format3::RankSection* part : *parts) {
            if (part->first_rank() != next || part->num_ranks() == 0 ||
                part->num_cells() > part->section().raw_bytes())
                return corrupt("it has sections of ranks out of order");
            next += part->num_ranks();
            if (num_cells != nullptr) *num_cells += part->num_cells();
            if (Status s = check(part->section()); !s) return s;
        }
        return next == num_ranks_ ? Status(Ok{}) : corrupt("it has not a section for every rank");
    }
    Status check(const format3::Section& section) {
        const std::uint64_t there = source_.size() - sections_begin_;
        if (section.offset() > there || section.stored_bytes() > there - section.offset())
            return corrupt(
                fmt::format("it has {} bytes, and a section behind them", source_.size()));
        const bool stored_as_it_is = section.compression() == 0;
        if (section.compression() > 1 || section.raw_bytes() > max_section_bytes ||
            (stored_as_it_is && section.raw_bytes() != section.stored_bytes()))
            return corrupt("it has a section of an impossible size");
        places_.emplace_back(section.offset(), section.stored_bytes());
        return Ok{};
    }

    template <class Table>
    Result<SectionTable<Table>> read(const format3::Section& section,
                                     const std::string& name) const {
        auto stored = source_.read(sections_begin_ + section.offset(), section.stored_bytes());
        if (!stored) return stored.error();
        const std::string_view bytes = stored.value().view();
        if (XXH3_64bits(bytes.data(), bytes.size()) != section.xxh3())
            return corrupt(name + ": its checksum is wrong");
        if (section.compression() == 0)
            return SectionTable<Table>::of(std::move(stored).value(), name);
        AlignedBytes raw(section.raw_bytes());
        if (!decompress_zstd(bytes, raw.data(), section.raw_bytes()))
            return corrupt(name + ": it cannot be decompressed");
        return SectionTable<Table>::of(std::move(raw), name);
    }

    Status add_ranks(const format3::Ranks& in, std::uint32_t num_ranks,
                     std::vector<ProfileRank>& ranks) const {
        if (!fit(num_ranks, in.wall_s(), in.mpi_s(), in.node(), in.cpus_length()))
            return corrupt("ranks: its lists do not fit together");
        if ((in.locality() != nullptr && !fit(num_ranks, in.locality())) ||
            (in.program() != nullptr && !fit(num_ranks, in.program())) ||
            (in.looked_at() == nullptr) != (in.early() == nullptr) ||
            (in.looked_at() != nullptr && !fit(num_ranks, in.looked_at(), in.early())))
            return corrupt("ranks: its lists do not fit together");
        std::uint64_t letter = 0;
        for (std::uint32_t i = 0; i < num_ranks; ++i) {
            const std::string name = fmt::format("rank {}", ranks.size());
            const std::uint32_t length = in.cpus_length()->Get(i);
            if (length > in.cpus()->size() - letter)
                return corrupt(name + " has more CPUs than the file");
            if (length > max_cpus_letters) return corrupt(name + " has too many CPUs");
            ProfileRank& rank = ranks.emplace_back();
            rank.wall_s = in.wall_s()->Get(i);
            rank.mpi_s = in.mpi_s()->Get(i);
            rank.node = in.node()->Get(i);
            rank.cpus.assign(in.cpus()->c_str() + letter, length);
            letter += length;
            if (in.locality() != nullptr) rank.locality = in.locality()->Get(i);
            if (in.program() != nullptr) rank.program = in.program()->Get(i);
            if (in.looked_at() != nullptr)
                rank.early_messages = {in.looked_at()->Get(i), in.early()->Get(i)};
            if (Status s = check_rank(name, rank, head_); !s) return s;
        }
        return letter == in.cpus()->size() ? Status(Ok{}) : corrupt("CPUs of no rank");
    }

    /// Reads the sections of all ranks. Does nothing if the file does not have such sections.
    template <class Table, class Add>
    Status add_parts(const flatbuffers::Vector<const format3::RankSection*>* parts,
                     const char* name, Add&& add) const {
        if (parts == nullptr) return Ok{};
        for (const format3::RankSection* part : *parts) {
            const auto in = read<Table>(part->section(), name);
            if (!in) return in.error();
            if (Status s = add(*in.value(), *part); !s) return s;
        }
        return Ok{};
    }

    /// Divides lists in which all ranks of a section stand end to end.
    /// @param lengths  length of each rank's list
    /// @param add      gets a rank, and the begin and end of its list
    template <class Add>
    static Status divide(const format3::RankSection& part,
                         const flatbuffers::Vector<std::uint32_t>* lengths, std::size_t size,
                         const std::string& what, Add&& add) {
        if (!fit(part.num_ranks(), lengths))
            return corrupt(what + ": its lists do not fit together");
        flatbuffers::uoffset_t next = 0;
        for (std::uint32_t i = 0; i < part.num_ranks(); ++i) {
            const RankId rank = part.first_rank() + i;
            const std::uint32_t length = lengths->Get(i);
            if (length > size - next)
                return corrupt(fmt::format("rank {} has more {} than the file", rank, what));
            if (Status s = add(rank, next, next + length); !s) return s;
            next += length;
        }
        return next == size ? Status(Ok{}) : corrupt(what + " of no rank");
    }
    static std::string name_of(RankId rank) { return fmt::format("rank {}", rank); }

    Status add_calls(const format3::Calls& in, const format3::RankSection& part,
                     std::vector<ProfileRank>& ranks) const {
        const std::size_t size = in.call()->size();
        if (!fit(size, in.call(), in.seconds(), in.count()) ||
            (in.bytes() != nullptr && !fit(size, in.bytes())))
            return corrupt("calls: its lists do not fit together");
        return divide(part, in.num_calls(), size, "calls", [&](RankId id, auto next, auto end) {
            ProfileRank& rank = ranks[id];
            for (; next < end; ++next)
                rank.calls.push_back({in.call()->Get(next), in.seconds()->Get(next),
                                      in.count()->Get(next),
                                      in.bytes() == nullptr ? 0 : in.bytes()->Get(next)});
            return check_calls(name_of(id), rank, head_.call_names.size());
        });
    }

    Status add_waits(const format3::Waits& in, const format3::RankSection& part,
                     std::vector<ProfileRank>& ranks) const {
        const std::size_t size = in.distance()->size();
        if (!fit(size, in.distance(), in.seconds(), in.calls()))
            return corrupt("waits: its lists do not fit together");
        return divide(part, in.num_peers(), size, "waits", [&](RankId id, auto next, auto end) {
            std::vector<PeerWait>& waits = ranks[id].waits;
            for (; next < end; ++next)
                waits.push_back({id + in.distance()->Get(next), in.seconds()->Get(next),
                                 in.calls()->Get(next)});
            return check_waits(name_of(id), waits, num_ranks_);
        });
    }

    static Status add_open_sends(const format3::OpenSends& in, const format3::RankSection& part,
                                 std::vector<ProfileRank>& ranks) {
        const std::size_t size = in.bucket()->size();
        if (!fit(size, in.bucket(), in.most(), in.sends(), in.others()))
            return corrupt("open sends: its lists do not fit together");
        const auto add = [&](RankId id, auto next, auto end) {
            std::vector<OpenSends>& open_sends = ranks[id].open_sends;
            for (; next < end; ++next)
                open_sends.push_back({in.bucket()->Get(next), in.most()->Get(next),
                                      in.sends()->Get(next), in.others()->Get(next)});
            return are_open_sends(open_sends)
                       ? Status(Ok{})
                       : corrupt(name_of(id) + " has sends of a bad size bucket");
        };
        return divide(part, in.num_buckets(), size, "open sends", add);
    }

    Status add_rank_times(const format3::Phase& in, const std::string& name, Phase& phase) const {
        if (in.rank_times() == nullptr) return Ok{};
        for (const format3::RankSection* part : *in.rank_times()) {
            const auto times = read<format3::PhaseTimes>(part->section(), name);
            if (!times) return times.error();
            const auto* wall_s = times.value()->wall_s();
            const auto* mpi_s = times.value()->mpi_s();
            if (!fit(part->num_ranks(), wall_s, mpi_s))
                return corrupt(name + ": its lists do not fit together");
            for (std::uint32_t i = 0; i < part->num_ranks(); ++i)
                phase.rank_times.push_back({wall_s->Get(i), mpi_s->Get(i)});
        }
        return check_rank_times(name, phase.rank_times);
    }

    static Status add_collectives(const SectionTable<format3::Collectives>& in,
                                  std::vector<CollectiveRecord>& collectives) {
        const std::size_t size = in->op()->size();
        if (!fit(size, in->op(), in->communicator(), in->root(), in->calls(), in->member_calls(),
                 in->member_bytes(), in->flags()) ||
            (in->bucket() != nullptr && !fit(size, in->bucket())))
            return corrupt("collectives: its lists do not fit together");
        for (flatbuffers::uoffset_t i = 0; i < size; ++i) {
            if (in->flags()->Get(i) > 1)
                return corrupt(fmt::format("collective {} has unknown flags", i));
            CollectiveRecord record{.op = static_cast<CollectiveOp>(in->op()->Get(i)),
                                    .communicator = in->communicator()->Get(i),
                                    .root = in->root()->Get(i),
                                    .calls = in->calls()->Get(i),
                                    .member_calls = in->member_calls()->Get(i),
                                    .member_bytes = in->member_bytes()->Get(i),
                                    .in_peer_traffic = in->flags()->Get(i) != 0};
            record.bucket =
                in->bucket() == nullptr ? record.bucket_of_mean() : in->bucket()->Get(i);
            collectives.push_back(record);
        }
        return Ok{};
    }

    Status add_rows(const SectionTable<format3::Traffic>& in, const format3::RankSection& part,
                    TrafficMatrix& matrix) const {
        const std::size_t size = in->distance()->size();
        if (size != part.num_cells() || !fit(part.num_ranks(), in->num_cells()) ||
            !fit(size, in->distance(), in->bucket(), in->count(), in->bytes()))
            return corrupt("traffic: its lists do not fit together");
        const std::uint32_t* distance = in->distance()->data();
        const std::uint8_t* bucket = in->bucket()->data();
        const std::uint64_t* count = in->count()->data();
        const std::uint64_t* bytes = in->bytes()->data();
        std::size_t next = 0;
        for (std::uint32_t i = 0; i < part.num_ranks(); ++i) {
            const RankId rank = part.first_rank() + i;
            const std::uint32_t cells = in->num_cells()->Get(i);
            if (cells > size - next)
                return corrupt(fmt::format("rank {} has more traffic than the file", rank));
            for (TrafficCell& cell : matrix.make_row(cells)) {
                cell = {rank + distance[next], bucket[next], count[next], bytes[next]};
                ++next;
            }
            if (Status s = check_row(rank, matrix.sent_by(rank), num_ranks_); !s) return s;
        }
        return next == size ? Status(Ok{}) : corrupt("traffic of no rank");
    }

    SectionSource source_;
    Profile head_;
    std::size_t num_ranks_ = 0;
    std::vector<PhaseSummary> phases_;
    std::optional<SectionTable<format3::Index>> index_;
    std::uint64_t sections_begin_ = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places_;  ///< sections; empty once open
};

ProfileFile::ProfileFile(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
ProfileFile::~ProfileFile() = default;
ProfileFile::ProfileFile(ProfileFile&&) noexcept = default;
ProfileFile& ProfileFile::operator=(ProfileFile&&) noexcept = default;

Result<ProfileFile> ProfileFile::of_file(OpenedFile file) {
    auto contents = std::make_unique<Contents>(SectionSource(std::move(file.fd), file.size_bytes));
    if (Status s = contents->open(); !s) return s.error();
    return ProfileFile(std::move(contents));
}

Result<ProfileFile> ProfileFile::of_content(std::string_view content) {
    auto contents = std::make_unique<Contents>(SectionSource(content));
    if (Status s = contents->open(); !s) return s.error();
    return ProfileFile(std::move(contents));
}

const Profile& ProfileFile::head() const { return contents_->head(); }
std::size_t ProfileFile::num_ranks() const { return contents_->num_ranks(); }
const std::vector<ProfileFile::PhaseSummary>& ProfileFile::phases() const {
    return contents_->phases();
}
Result<std::vector<ProfileRank>> ProfileFile::ranks() const { return contents_->ranks(); }
Result<std::vector<std::vector<RankId>>> ProfileFile::communicators() const {
    return contents_->communicators();
}
Result<Phase> ProfileFile::phase(std::size_t phase) const {
    const auto communicators = contents_->communicators();
    if (!communicators) return communicators.error();
    return contents_->phase(phase, communicators.value());
}

Result<Rounds> ProfileFile::rounds() const {
    const auto communicators = contents_->communicators();
    if (!communicators) return communicators.error();
    return contents_->rounds(communicators.value().size());
}

Result<std::vector<ProcessTopology>> ProfileFile::topologies() const {
    const auto communicators = contents_->communicators();
    if (!communicators) return communicators.error();
    return contents_->topologies(communicators.value());
}

Result<Profile> ProfileFile::whole() const {
    Profile profile = head();
    auto ranks = contents_->ranks();
    if (!ranks) return ranks.error();
    profile.ranks = std::move(ranks).value();
    auto communicators = contents_->communicators();
    if (!communicators) return communicators.error();
    profile.communicators = std::move(communicators).value();
    auto topologies = contents_->topologies(profile.communicators);
    if (!topologies) return topologies.error();
    profile.topologies = std::move(topologies).value();
    for (std::size_t i = 0; i < phases().size(); ++i) {
        auto phase = contents_->phase(i, profile.communicators);
        if (!phase) return phase.error();
        profile.phases.push_back(std::move(phase).value());
    }
    auto rounds = contents_->rounds(profile.communicators.size());
    if (!rounds) return rounds.error();
    profile.rounds = std::move(rounds).value();
    return profile;
}

Result<Profile> decode_profile(std::string_view content) {
    const auto file = ProfileFile::of_content(content);
    if (!file) return file.error();
    return file.value().whole();
}

}  // namespace commmap
