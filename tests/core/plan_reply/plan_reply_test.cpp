// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan_reply/plan_reply.hpp"

#include <gmock/gmock.h>

#include <random>

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string apply =
    "commmap-plan 2\nline one\nline two words\ndecision apply\ntasks-per-node 2,1\n"
    "order 1,0x2\ncpu-sets 0,1/0@0x1,1x1\nend\n";
const std::vector<std::string> nodes = {"m0", "m1"};

std::string refusal(const std::string& text) {
    const auto reply = parse_plan_reply(text);
    return reply ? "" : reply.error().message;
}

TEST(PlanReply, ReadsAPlan) {
    const auto reply = parse_plan_reply(apply);

    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply.value().decision, PlanReply::Decision::apply);
    EXPECT_THAT(reply.value().lines, ElementsAre("one", "two words"));
    EXPECT_THAT(reply.value().tasks_per_node, ElementsAre(2, 1));
    EXPECT_THAT(reply.value().node_of_rank, ElementsAre(1, 0, 0));
    EXPECT_EQ(reply.value().cpu_sets.num_nodes(), 2U);
}

TEST(ReplyWriter, WritesWhatIsReadAgain) {
    ReplyWriter writer;
    writer.add_line("one");
    writer.add_line("two\nwords");
    writer.apply("2,1", "1,0x2", "0,1/0@0x1,1x1");
    EXPECT_EQ(writer.finish(), apply);

    writer.note_report();
    writer.keep_record("placed 1a 2b");
    const auto reply = parse_plan_reply(writer.finish());
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_TRUE(reply.value().report_written);
    EXPECT_EQ(reply.value().record, "placed 1a 2b");
}

TEST(ReplyWriter, SaysWhatRunsInside) {
    const std::string rules = "for Open MPI v4.1.4;bcast 16 65536 chain 8192";
    for (const bool applies : {true, false}) {
        ReplyWriter writer;
        writer.add_inside(rules);
        if (applies)
            writer.apply("2,1", "1,0x2", "0,1/0@0x1,1x1");
        else
            writer.decide(PlanReply::Decision::keep);
        const auto reply = parse_plan_reply(writer.finish());
        ASSERT_TRUE(reply) << reply.error().message;
        EXPECT_EQ(reply.value().inside, rules);
    }
}

TEST(PlanReply, RefusesRulesThatTasksCannotBeGiven) {
    for (const char* line : {"inside", "inside a:b", "inside a,b", "inside a\ninside a"}) {
        EXPECT_THAT(refusal(std::string("commmap-plan 2\n") + line + "\ndecision keep\nend\n"),
                    HasSubstr("wrong rules for collectives"))
            << line;
    }
    EXPECT_THAT(refusal("commmap-plan 2\ninside a\ndecision decline\nend\n"),
                HasSubstr("work inside of tasks that it declines"));
}

TEST(ReplyWriter, SaysMoreBeforeAnAnswer) {
    ReplyWriter before;
    before.add_line("zero");
    const auto reply = parse_plan_reply(before.continued_by(apply));
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_THAT(reply.value().lines, ElementsAre("zero", "one", "two words"));
}

TEST(ReplyWriter, TellsTheEndOfAnAnswer) {
    EXPECT_TRUE(is_whole_reply(apply));
    EXPECT_FALSE(is_whole_reply(apply.substr(0, apply.size() - 1)));
    EXPECT_EQ(length_of_reply(apply + "{\"report\": 1}"), apply.size());
    EXPECT_EQ(length_of_reply(apply.substr(0, apply.size() - 1)), std::nullopt);
    EXPECT_EQ(length_of_reply("x" + apply), std::nullopt);
}

TEST(PlanReply, ReadsADecisionWithoutAPlan) {
    EXPECT_EQ(parse_plan_reply("commmap-plan 2\ndecision keep\nend\n").value().decision,
              PlanReply::Decision::keep);
    EXPECT_EQ(parse_plan_reply("commmap-plan 2\nline no profile\ndecision decline\nend\n")
                  .value()
                  .decision,
              PlanReply::Decision::decline);
}

TEST(PlanReply, TellsWhetherThereIsAReport) {
    EXPECT_FALSE(parse_plan_reply(apply).value().report_written);
    EXPECT_TRUE(parse_plan_reply("commmap-plan 2\nreport written\ndecision keep\nend\n")
                    .value()
                    .report_written);
    EXPECT_THAT(refusal("commmap-plan 2\nreport burnt\ndecision keep\nend\n"),
                HasSubstr("wrong report line"));
}

TEST(PlanReply, HandsTheRecordOn) {
    EXPECT_EQ(parse_plan_reply(apply).value().record, "");
    const auto answer = [](const std::string& record) {
        return "commmap-plan 2\ndecision keep\nrecord" + record + "\nend\n";
    };
    EXPECT_EQ(parse_plan_reply(answer(" kept 1 0 0.5 0.5 0 app id")).value().record,
              "kept 1 0 0.5 0.5 0 app id");
    EXPECT_THAT(refusal(answer("")), HasSubstr("wrong record line"));
    EXPECT_THAT(refusal(answer(" a\nrecord b")), HasSubstr("wrong record line"));
    EXPECT_THAT(refusal(answer(" " + std::string(1001, 'x'))), HasSubstr("wrong record line"));
}

TEST(KeepInstead, DropsThePlacementAndSaysWhy) {
    const std::string answer =
        "commmap-plan 2\nline one\nline  two\nreport written\ndecision apply\ntasks-per-node 2,1\n"
        "order 1,0x2\ncpu-sets 0,1/0@0x1,1x1\nrecord placed\nend\n";
    const auto explored = [](const std::string& record) { return record + " as explored"; };
    const std::string kept = keep_instead(answer, "to compare\nwith", explored);
    EXPECT_EQ(kept,
              "commmap-plan 2\nline one\nline  two\nline to compare with\nreport written\n"
              "decision keep\nrecord placed as explored\nend\n");
    EXPECT_EQ(parse_plan_reply(kept).value().decision, PlanReply::Decision::keep);

    const auto none = [](const std::string&) { return std::string(); };
    EXPECT_EQ(parse_plan_reply(keep_instead(answer, "why", none)).value().record, "");
    EXPECT_THAT(keep_instead(apply, "why", explored), Not(HasSubstr("record")));
}

TEST(KeepInstead, RunsNothingInside) {
    const auto none = [](const std::string&) { return std::string(); };
    std::string answer = apply;
    answer.insert(answer.find("decision"), "inside bcast 2 1 chain 256\n");
    EXPECT_EQ(parse_plan_reply(answer).value().inside, "bcast 2 1 chain 256");
    EXPECT_EQ(parse_plan_reply(keep_instead(answer, "why", none)).value().inside, "");
}

TEST(KeepInstead, LeavesOtherAnswersAlone) {
    const auto none = [](const std::string&) { return std::string(); };
    for (const std::string answer : {"commmap-plan 2\ndecision keep\nrecord kept\nend\n",
                                     "commmap-plan 2\nline decision apply\ndecision decline\nend\n",
                                     "commmap-plan 2\nline x\ndecision apply\nend\n", ""})
        EXPECT_EQ(keep_instead(answer, "why", none), answer);
}

TEST(PlanReply, APrefixOfAPlanIsNoPlan) {
    for (std::size_t length = 0; length < apply.size(); ++length) {
        EXPECT_NE(refusal(apply.substr(0, length)), "") << length;
    }
}

TEST(PlanReply, RefusesWhatDoesNotFitTogether) {
    EXPECT_THAT(refusal(""), HasSubstr("is empty"));
    EXPECT_THAT(refusal("commmap-plan 9\nend\n"), HasSubstr("(it does not begin with"));
    EXPECT_THAT(refusal("commmap-plan 2\nend\n"), HasSubstr("no decision"));
    EXPECT_THAT(refusal("commmap-plan 2\ndecision maybe\nend\n"), HasSubstr("'maybe'"));
    EXPECT_THAT(refusal("commmap-plan 2\ndecision keep\ndecision apply\nend\n"),
                HasSubstr("two decisions"));
    EXPECT_THAT(refusal("commmap-plan 2\nwhat 1\ndecision keep\nend\n"),
                HasSubstr("unknown line 'what'"));
    EXPECT_THAT(refusal("commmap-plan 2\ndecision apply\ncpu-sets 0@0x1\nend\n"),
                HasSubstr("no tasks-per-node"));
    EXPECT_THAT(refusal("commmap-plan 2\ndecision apply\ntasks-per-node 1\ncpu-sets 0@0x1\nend\n"),
                HasSubstr("no order"));
    EXPECT_THAT(refusal("commmap-plan 2\ndecision apply\ntasks-per-node 1\norder 0\nend\n"),
                HasSubstr("no CPU sets"));
    EXPECT_THAT(refusal("commmap-plan 2\ndecision apply\ntasks-per-node 1,1\norder 0,1\ncpu-sets "
                        "0@0x1\nend\n"),
                HasSubstr("another number of nodes"));
    for (const char* order : {"", "x", "0x", "x2", "0,", "0x-1", "0x99999999999", "99999999999"})
        EXPECT_THAT(
            refusal("commmap-plan 2\ndecision apply\norder " + std::string(order) + "\nend\n"),
            HasSubstr("wrong order"))
            << order;
    EXPECT_THAT(
        refusal("commmap-plan 2\ndecision apply\ntasks-per-node 1,x\ncpu-sets 0@0x2\nend\n"),
        HasSubstr("tasks per node"));
    EXPECT_THAT(refusal(apply + "line more\n"), HasSubstr("after its end"));
}

TEST(PlanReply, SurvivesGarbage) {
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
        std::string text = apply;
        for (auto changes = random() % 4 + 1; changes > 0; --changes) {
            const std::size_t place = random() % text.size();
            switch (random() % 3) {
                case 0:
                    text[place] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(place, random() % 8);
                    break;
                default:
                    text.insert(place, std::string(random() % 4, static_cast<char>(random())));
            }
            if (text.empty()) text = "\n";
        }

        const auto reply = parse_plan_reply(text);

        if (!reply) {
            EXPECT_EQ(reply.error().message.find('\n'), std::string::npos);
        }
    }
}

TEST(CheckPlacement, GivesTheHostsByRank) {
    const auto hosts = check_placement(parse_plan_reply(apply).value(), nodes, 3);

    ASSERT_TRUE(hosts) << hosts.error().message;
    EXPECT_THAT(hosts.value(), ElementsAre("m1", "m0", "m0"));
}

TEST(CheckPlacement, RefusesAnotherJobsPlan) {
    const auto why = [&](std::vector<std::uint32_t> order,
                         const std::vector<std::string>& of = nodes, std::size_t tasks = 3) {
        PlanReply reply = parse_plan_reply(apply).value();
        reply.node_of_rank = std::move(order);
        const auto hosts = check_placement(reply, of, tasks);
        return hosts ? std::string() : hosts.error().message;
    };

    EXPECT_EQ(why({0, 0, 1}), "");
    EXPECT_THAT(why({0, 0}), HasSubstr("places 2 tasks, the job has 3"));
    EXPECT_THAT(why({0, 0, 0}), HasSubstr("more tasks on m0"));
    EXPECT_THAT(why({0, 0, 9}), HasSubstr("on node 9, the job has 2"));
    EXPECT_THAT(why({0, 0, 1}, {"m0"}), HasSubstr("is for 2 nodes, the job has 1"));
    EXPECT_THAT(why({0, 0, 1}, nodes, 4), HasSubstr("places 3 tasks, the job has 4"));
    EXPECT_THAT(why({0, 1}, nodes, 2), HasSubstr("fewer tasks"));
}

}  // namespace
}  // namespace commmap
