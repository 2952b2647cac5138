// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/output/section_reader.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace commmap::hooks {
namespace {

using Kind = PhaseEntry::Kind;
using Section = RankRecord::Section;
using Collective = RankRecord::Collective;

/// A section while it is put together; its ticks become seconds at the end.
struct OpenSection {
    Section counted;
    std::uint64_t wall_ticks = 0;
    std::uint64_t mpi_ticks = 0;
};

/// Subtracts an amount. Returns false when the result would be less than 0.
bool subtract(std::uint64_t& from, std::uint64_t amount) {
    return !__builtin_sub_overflow(from, amount, &from);
}

/// Does the same for traffic; both are sorted by key().
bool subtract(std::vector<TrafficCell>& from, const std::vector<TrafficCell>& cells) {
    auto at = from.begin();
    for (const TrafficCell& cell : cells) {
        while (at != from.end() && at->key() < cell.key()) ++at;
        if (at == from.end() || at->key() != cell.key() || !subtract(at->count, cell.count) ||
            !subtract(at->bytes, cell.bytes))
            return false;
    }
    return true;
}

bool subtract(std::vector<Collective>& from, const std::vector<Collective>& collectives) {
    auto at = from.begin();
    for (const Collective& collective : collectives) {
        while (at != from.end() && at->key() < collective.key()) ++at;
        if (at == from.end() || at->key() != collective.key() ||
            !subtract(at->calls, collective.calls) || !subtract(at->bytes, collective.bytes))
            return false;
    }
    return true;
}

class Sections {
public:
    Sections(const SectionTotals& totals, std::uint32_t num_ranks)
        : totals_(totals), num_ranks_(num_ranks) {}

    /// Adds an entry of the log. Returns false when the entry cannot be right.
    bool add(const PhaseEntry& entry) {
        OpenSection& section = sections_[entry.section];
        Section& counted = section.counted;
        switch (entry.kind) {
            case Kind::sent:
            case Kind::fetched: {
                if (entry.what >= num_ranks_ || entry.bucket >= num_size_buckets ||
                    entry.count == 0)
                    return false;
                auto& row = entry.kind == Kind::sent ? counted.sent : counted.fetched;
                row.push_back({entry.what, entry.bucket, entry.count, entry.amount});
                return true;
            }
            case Kind::collective: {
                const auto of_number = totals_.collective_of_number.find(entry.what);
                if (of_number == totals_.collective_of_number.end()) return false;
                Collective& collective = counted.collectives.emplace_back(of_number->second);
                collective.calls = entry.count;
                collective.bytes = entry.amount;
                return true;
            }
            case Kind::wall:
                counted.entered += entry.count;
                section.wall_ticks += entry.amount;
                return true;
            case Kind::mpi:
                section.mpi_ticks += entry.amount;
                return true;
        }
        return false;
    }

    /// Sorts the sections, and gives the open section the counts that are in no entry.
    /// Returns false when such a count is less than 0.
    bool close(std::uint32_t open) {
        OpenSection rest{totals_.counted, totals_.wall_ticks, totals_.mpi_ticks};
        for (auto& [number, section] : sections_) {
            for (auto* row : {&section.counted.sent, &section.counted.fetched})
                row->resize(reduce_by_key(*row));
            reduce_by_key(section.counted.collectives);
            if (!subtract(rest.counted.sent, section.counted.sent) ||
                !subtract(rest.counted.fetched, section.counted.fetched) ||
                !subtract(rest.wall_ticks, section.wall_ticks) ||
                !subtract(rest.mpi_ticks, section.mpi_ticks) ||
                !subtract(rest.counted.collectives, section.counted.collectives))
                return false;
        }
        give_late_bytes(rest.counted);
        OpenSection& last = sections_[open];
        last.wall_ticks += rest.wall_ticks;
        last.mpi_ticks += rest.mpi_ticks;
        add_section(last.counted, rest.counted);
        return true;
    }

    [[nodiscard]] std::map<std::uint32_t, OpenSection>& get() { return sections_; }

private:
    /// Gives bytes without a message to the last section that has such a message.
    /// A boundary may come between the count of a message and the count of its bytes, which are
    /// left over then.
    void give_late_bytes(Section& rest) {
        for (const auto row : {&Section::sent, &Section::fetched}) {
            for (const TrafficCell& late : rest.*row) {
                if (late.count > 0 || late.bytes == 0) continue;
                for (auto at_section = sections_.rbegin(); at_section != sections_.rend();
                     ++at_section) {
                    auto& cells = at_section->second.counted.*row;
                    const auto at =
                        std::lower_bound(cells.begin(), cells.end(), late,
                                         [](const TrafficCell& a, const TrafficCell& b) {
                                             return a.key() < b.key();
                                         });
                    if (at == cells.end() || at->key() != late.key()) continue;
                    at->bytes += late.bytes;
                    break;
                }
            }
            std::erase_if(rest.*row, [](const TrafficCell& cell) { return cell.count == 0; });
        }
        for (const Collective& late : rest.collectives) {
            if (late.calls > 0 || late.bytes == 0) continue;
            for (auto at_section = sections_.rbegin(); at_section != sections_.rend();
                 ++at_section) {
                auto& known = at_section->second.counted.collectives;
                const auto at = std::lower_bound(
                    known.begin(), known.end(), late,
                    [](const Collective& a, const Collective& b) { return a.key() < b.key(); });
                if (at == known.end() || at->key() != late.key()) continue;
                at->bytes += late.bytes;
                break;
            }
        }
        std::erase_if(rest.collectives, [](const Collective& c) { return c.calls == 0; });
    }
    const SectionTotals& totals_;
    std::uint32_t num_ranks_;
    std::map<std::uint32_t, OpenSection> sections_;
};

/// Head of the log, read once, for the task may still write there.
struct LogHead {
    explicit LogHead(const PhaseLog& log)
        : entries(log.entries()),
          size(log.size()),
          open(log.open()),
          num_labels(log.num_labels()),
          slice_s(log.slice_s()),
          labelled(log.is_labelled()),
          lost(log.lost()) {}

    [[nodiscard]] bool is_section(std::uint32_t section) const {
        return labelled ? section <= num_labels
                        : section >= PhaseLog::slice_flag &&
                              section - PhaseLog::slice_flag < PhaseLog::most_slices;
    }
    /// Slices may yet be joined into one slice, whose length must not exceed the limit.
    static constexpr double longest_slice_s =
        RankRecord::longest_slice_s / (2 * RankRecord::most_slices);
    [[nodiscard]] bool makes_sense() const {
        return !lost && size <= PhaseLog::most_entries && num_labels < PhaseLog::most_labels &&
               is_section(open) && slice_s >= 0.0 && slice_s < longest_slice_s;
    }

    const PhaseEntry* entries;
    std::uint32_t size;
    std::uint32_t open;
    std::uint32_t num_labels;
    double slice_s;
    bool labelled;
    bool lost;
};

/// Reads the log. Returns false when the log makes no sense.
bool read_log(const MemoryView& view, const LogHead& log, Sections& sections) {
    if (!log.makes_sense()) return false;
    const PhaseEntry* entries = log.size == 0 ? nullptr : view.at(log.entries, log.size);
    if (log.size > 0 && entries == nullptr) return false;
    for (std::uint32_t i = 0; i < log.size; ++i) {
        const PhaseEntry entry = entries[i];
        if (!log.is_section(entry.section) || !sections.add(entry)) return false;
    }
    return sections.close(log.open);
}

}  // namespace

void add_sections(const MemoryView& view, const RecordHead& head, SectionTotals totals,
                  RankRecord& record) {
    const LogHead log(head.phases);
    Sections sections(totals, head.size);
    if (!read_log(view, log, sections)) {
        record.phases_lost = true;
        Section& whole = record.sections.emplace_back(std::move(totals.counted));
        whole.wall_s = record.wall_s;
        whole.mpi_s = record.mpi_s;
        return;
    }
    if (!log.labelled) record.slice_s = log.slice_s;
    // the threads' times together may be longer than the run
    const double all_mpi_s = totals.seconds(totals.mpi_ticks);
    const double in_wall = all_mpi_s > 0.0 ? record.mpi_s / all_mpi_s : 1.0;
    for (auto& [number, from] : sections.get()) {
        Section& section = record.sections.emplace_back(std::move(from.counted));
        section.mpi_s = std::min(record.wall_s, totals.seconds(from.mpi_ticks) * in_wall);
        if (!log.labelled) {
            section.slice = number - PhaseLog::slice_flag;
            continue;
        }
        section.wall_s = std::min(record.wall_s, totals.seconds(from.wall_ticks));
        if (number == 0) continue;
        // the byte at its end may be another letter than NUL
        section.label = text_of(head.phases.label(number)).substr(0, RankRecord::most_letters);
    }
}

}  // namespace commmap::hooks
