#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/config/experiment_text.h"
#include "core/config/run_config.h"

namespace kurve {
namespace {

std::shared_ptr<const Schema> exampleSchema() {
    auto schema = std::make_shared<Schema>();
    schema->family = "toy";
    schema->title = "Toy";
    schema->paper = "none";
    schema->fields = {
        integerField("seed", 1, "seed").atLeast(0),
        textField("data.train", "data/train.tsv", "training pairs"),
        choiceField("data.tokenizer.kind", "bpe", {"bpe", "unigram", "word"}, "kind of tokenizer"),
        integerField("model.hidden", 512, "width").range(8, 8192).unit("dims").from("4.2"),
        flagField("model.tied", true, "share the tables"),
        realField("train.lr", 5e-4, "learning rate").range(0, 1).changeableLive(),
        realField("train.max_grad_norm", 0, "clip").atLeast(0),
        integerField("log.every", 10, "how often").reportingOnly(),
    };
    schema->presets = {
        {"tiny", "for two cores", {{"model.hidden", std::int64_t{128}}, {"train.lr", 1.8e-3}}}};
    return schema;
}

Result<std::shared_ptr<const Schema>> lookup(const std::string& family) {
    if (family == "toy") return exampleSchema();
    return requestError("config.unknown_family", "there is no family “" + family + "”")
        .fix("choose one of: toy");
}

Result<RunConfig> parse(const std::string& text, std::vector<Override> overrides = {}) {
    return RunConfig::parse(text, "exp.toml", lookup, overrides);
}

struct Wrong {
    std::string text, code, field;
    int line;
    std::string message;  ///< the whole line a user sees
};
void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.code << " " << wrong.field;
}

class ConfigErrors : public testing::TestWithParam<Wrong> {};

TEST_P(ConfigErrors, NameFileLineFieldAndRemedy) {
    const Wrong& wrong = GetParam();
    const auto config = parse(wrong.text);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code, wrong.code);
    EXPECT_EQ(config.error().field, wrong.field);
    EXPECT_EQ(config.error().line, wrong.line);
    EXPECT_EQ(config.error().exitCode(), 2);
    EXPECT_EQ(config.error().text(), wrong.message);
}

INSTANTIATE_TEST_SUITE_P(
    EveryKind, ConfigErrors,
    testing::Values(
        Wrong{"family = \"toy\"\n[model]\nhiden = 3\n", "config.unknown_key", "model.hiden", 3,
              "exp.toml:3: model.hiden: toy has no such setting; did you mean model.hidden?"},
        Wrong{"family = \"toy\"\nhidden = 3\n", "config.unknown_key", "hidden", 2,
              "exp.toml:2: hidden: toy has no such setting; did you mean model.hidden?"},
        Wrong{"family = \"toy\"\n\n[modle]\nhidden = 3\n", "config.unknown_key", "modle.hidden", 4,
              "exp.toml:4: modle.hidden: toy has no such setting; did you mean model.hidden?"},
        Wrong{"family = \"toy\"\nfoundation = 3\n", "config.unknown_key", "foundation", 2,
              "exp.toml:2: foundation: toy has no such setting; see kurve describe families toy"},
        Wrong{"family = \"toy\"\nmodel = 3\n", "config.unknown_key", "model", 2,
              "exp.toml:2: model: is a table, not a setting; write [model] on a line of its own and its "
              "settings below"},
        Wrong{"name = \"x\"\n", "config.no_family", "family", 0,
              "exp.toml: family: the experiment does not say which model family it trains; write family = "
              "\"…\" at the top; kurve describe families lists them"},
        Wrong{"# note\nfamily = \"tov\"\n", "config.unknown_family", "family", 2,
              "exp.toml:2: family: there is no family “tov”; choose one of: toy"},
        Wrong{"family = 3\n", "config.wrong_type", "family", 1,
              "exp.toml:1: family: is not a text; write family = \"…\""},
        Wrong{"family = \"toy\"\npreset = \"tinny\"\n", "config.unknown_preset", "preset", 2,
              "exp.toml:2: preset: toy has no preset “tinny”; choose one of: tiny"},
        Wrong{"family = \"toy\"\n[model]\nhidden = \"big\"\n", "config.wrong_type", "model.hidden", 3,
              "exp.toml:3: model.hidden: “big” is not a whole number; the default is 512"},
        Wrong{"family = \"toy\"\n[model]\nhidden = 12.5\n", "config.wrong_type", "model.hidden", 3,
              "exp.toml:3: model.hidden: 12.5 is not a whole number; the default is 512"},
        Wrong{"family = \"toy\"\n[model]\nhidden = [1, 2]\n", "config.wrong_type", "model.hidden", 3,
              "exp.toml:3: model.hidden: an array is not what this setting takes; write one value, like 512"},
        Wrong{"family = \"toy\"\n[model]\nhidden = 4\n", "config.out_of_range", "model.hidden", 3,
              "exp.toml:3: model.hidden: 4 is too small; use 8 to 8192 dims"},
        Wrong{"family = \"toy\"\n[train]\nmax_grad_norm = -1.5\n", "config.out_of_range",
              "train.max_grad_norm", 3, "exp.toml:3: train.max_grad_norm: -1.5 is too small; use 0 or more"},
        Wrong{"family = \"toy\"\n[train]\nlr = nan\n", "config.out_of_range", "train.lr", 3,
              "exp.toml:3: train.lr: nan is not a usable number; write a number"},
        Wrong{
            "family = \"toy\"\n[data]\ntokenizer.kind = \"wurd\"\n", "config.bad_choice",
            "data.tokenizer.kind", 3,
            "exp.toml:3: data.tokenizer.kind: “wurd” is not a choice; did you mean word? choose one of: bpe, "
            "unigram, word"}));

TEST(ConfigSyntax, SaysTheLine) {
    for (const auto& [text, line] : std::vector<std::pair<std::string, int>>{
             {"family = \"toy\"\n[model\nhidden = 3\n", 2},
             {"family = \"toy\"\n\nname = \"x\xFF\"\n", 3},
             {std::string("family = \"t\0y\"\n", 15), 1},
             {"family = \"toy\"\nname = \"a\"\nname = \"b\"\n", 3},
             {"family = \"toy\"\nname = \"" + std::string(20'000, 'x') + "\"\n", 2},
             {"family = \"toy\"\nx" + std::string(10'000'000, '.') + "\n", 0},
             {std::string(500'000, '['), 1}}) {
        const auto config = parse(text);
        ASSERT_FALSE(config) << text.substr(0, 40);
        EXPECT_EQ(config.error().code, "config.syntax");
        EXPECT_EQ(config.error().line, line) << config.error().text();
        EXPECT_EQ(config.error().file, "exp.toml");
        EXPECT_FALSE(config.error().remedy.empty());
    }
}

TEST(ConfigSyntax, ADeepKeyIsAnErrorNotACrash) {
    std::string deep = "a";
    for (int i = 0; i < 8000; ++i) deep += ".a";
    for (const auto& text :
         {"family = \"toy\"\n[" + deep + "]\nx = 1\n", "family = \"toy\"\n" + deep + " = 1\n"}) {
        const auto config = parse(text);
        ASSERT_FALSE(config);
        EXPECT_EQ(config.error().code, "config.syntax");
        EXPECT_EQ(config.error().line, 2);
    }
    const auto dots = parse("family = \"toy\"\nname = \"\"\"\n" + std::string(8000, '.') + "\n\"\"\"\n");
    EXPECT_TRUE(dots) << "an ellipsis is no key: " << dots.error().text();
}

TEST(UnchangedText, IsThePresetsOrTheDefault) {
    Schema schema = *exampleSchema();
    EXPECT_EQ(unchangedText(schema, "tiny", "model.hidden"), "128");
    EXPECT_EQ(unchangedText(schema, "", "hidden"), "512");
    EXPECT_EQ(unchangedText(schema, "tiny", "kind"), "bpe");
    EXPECT_EQ(unchangedText(schema, "", "idden"), std::nullopt);
    schema.fields.push_back(integerField("encoder.hidden", 64, "another width"));
    EXPECT_EQ(unchangedText(schema, "", "hidden"), std::nullopt) << "which of the two?";
    EXPECT_EQ(unchangedText(schema, "", "seed"), "1");
}

TEST(RunConfig, PrecedenceIsDefaultPresetFileOverrides) {
    EXPECT_EQ(parse("family = \"toy\"")->integer("model.hidden"), 512);
    const std::string preset = "family = \"toy\"\npreset = \"tiny\"\n";
    EXPECT_EQ(parse(preset)->integer("model.hidden"), 128);
    EXPECT_DOUBLE_EQ(parse(preset)->real("train.lr"), 1.8e-3);
    const std::string file = preset + "[model]\nhidden = 256\n";
    EXPECT_EQ(parse(file)->integer("model.hidden"), 256);
    EXPECT_EQ(parse(file, {{"model.hidden", "64"}, {"model.hidden", "32"}})->integer("model.hidden"), 32);
    EXPECT_EQ(parse(file)->changedKeys(), std::vector<std::string>{"model.hidden"});
    EXPECT_EQ(parse(preset)->changedKeys(), std::vector<std::string>{});
    EXPECT_EQ(parse("family = \"toy\"", {{"preset", "tiny"}, {"name", "n"}})->integer("model.hidden"), 128);
}

TEST(RunConfig, OverridesAreCheckedLikeTheFile) {
    const auto code = [](const std::string& key, const std::string& value) {
        const auto config = parse("family = \"toy\"", {{key, value}});
        return config ? "fine" : config.error().code + " " + config.error().field;
    };
    EXPECT_EQ(code("model.hiden", "3"), "config.unknown_key model.hiden");
    EXPECT_EQ(code("model.hidden", "3x"), "config.wrong_type model.hidden");
    EXPECT_EQ(code("model.hidden", ""), "config.wrong_type model.hidden");
    EXPECT_EQ(code("model.hidden", "99999999999999999999"), "config.wrong_type model.hidden");
    EXPECT_EQ(code("model.hidden", "9000"), "config.out_of_range model.hidden");
    EXPECT_EQ(code("model.tied", "yes"), "config.wrong_type model.tied");
    EXPECT_EQ(code("train.lr", "1e-3"), "fine");
    EXPECT_EQ(code("train.lr", "nan"), "config.out_of_range train.lr");
    EXPECT_EQ(code("data.tokenizer.kind", "char"), "config.bad_choice data.tokenizer.kind");
    EXPECT_EQ(code("data.train", "\xFF"), "config.wrong_type data.train");
    EXPECT_EQ(code("name", "\xFF"), "config.wrong_type name");
    EXPECT_EQ(code("preset", "huge"), "config.unknown_preset preset");
}

TEST(RunConfig, AWholeNumberServesAsReal) {
    EXPECT_DOUBLE_EQ(parse("family = \"toy\"\n[train]\nmax_grad_norm = 1\n")->real("train.max_grad_norm"),
                     1.0);
}

TEST(RunConfig, WithChangesACopyAndChecksIt) {
    const RunConfig before = *parse("family = \"toy\"\nname = \"a\"\n");
    const std::vector<Override> changes = {{"train.lr", "0.25"}, {"name", "b"}};
    const RunConfig after = *before.with(changes);
    EXPECT_DOUBLE_EQ(after.real("train.lr"), 0.25);
    EXPECT_EQ(after.name(), "b");
    EXPECT_DOUBLE_EQ(before.real("train.lr"), 5e-4);
    const std::vector<Override> wrong = {{"train.lr", "2"}};
    EXPECT_EQ(before.with(wrong).error().code, "config.out_of_range");
    const std::vector<Override> family = {{"family", "other"}};
    EXPECT_EQ(before.with(family).error().text(),
              "family: the family of an experiment is not changed by a setting; write family = \"…\" into a "
              "file of its own");
}

TEST(RunConfig, HashIsOfTheExperimentNotOfItsReporting) {
    const std::string base = "family = \"toy\"\n[model]\nhidden = 512\n";
    const std::string hash = parse(base)->contentHash();
    EXPECT_EQ(hash.size(), 64U);
    EXPECT_EQ(parse("name = \"other\"\nfamily = \"toy\"\n[log]\nevery = 99\n")->contentHash(), hash);
    EXPECT_NE(parse("family = \"toy\"\n[model]\nhidden = 513\n")->contentHash(), hash);
    EXPECT_NE(parse("family = \"toy\"\nseed = 2\n")->contentHash(), hash);
}

TEST(RunConfig, WrongUseIsAContractError) {
    const RunConfig config = *parse("family = \"toy\"");
    EXPECT_THROW((void)config.integer("model.nothing"), ContractError);
    EXPECT_THROW((void)config.integer("train.lr"), ContractError);
}

TEST(RunConfig, CanonicalTextReadsBackEqual) {
    EXPECT_TRUE(rc::check([](std::uint32_t seed, std::uint64_t lrBits, const std::string& file, bool tied) {
        const double lr = static_cast<double>(lrBits) / 18446744073709551616.0;
        std::string ascii = file;  // TOML holds UTF-8 without NUL; any other byte must survive quoting
        for (char& c : ascii)
            if (c == '\0' || static_cast<unsigned char>(c) > 0x7F) c = '"';
        const RunConfig before = *parse("family = \"toy\"\npreset = \"tiny\"\nname = \"q\\\"\\\\\\nü\"\n",
                                        {{"seed", std::to_string(seed)},
                                         {"train.lr", fieldValueText(FieldValue(lr))},
                                         {"data.train", ascii},
                                         {"model.tied", tied ? "true" : "false"}});
        const auto after = parse(before.canonicalText());
        RC_ASSERT(after.has_value());
        RC_ASSERT(after->canonicalText() == before.canonicalText());
        RC_ASSERT(after->contentHash() == before.contentHash());
        RC_ASSERT(after->name() == before.name() && after->preset() == "tiny");
        RC_ASSERT(after->real("train.lr") == lr && after->text("data.train") == ascii);
        RC_ASSERT(difference(before, *after).empty());
    }));
}

TEST(RunConfig, CanonicalTextIsSortedToml) {
    EXPECT_EQ(parse("family = \"toy\"")->canonicalText(),
              "family = \"toy\"\nname = \"\"\nseed = 1\n"
              "\n[data]\ntrain = \"data/train.tsv\"\n"
              "\n[data.tokenizer]\nkind = \"bpe\"\n"
              "\n[log]\nevery = 10\n"
              "\n[model]\nhidden = 512\ntied = true\n"
              "\n[train]\nlr = 0.0005\nmax_grad_norm = 0.0\n");
}

TEST(RunConfig, DifferenceNamesWhatDiffersAcrossFamilies) {
    auto other = std::make_shared<Schema>();
    other->family = "other";
    other->fields = {integerField("seed", 1, "seed"), integerField("model.hidden", 64, "w"),
                     textField("map.kind", "spline", "map")};
    const RunConfig right = *RunConfig::parse(
        "family = \"other\"", "o.toml", [&](const std::string&) -> Result<std::shared_ptr<const Schema>> {
            return std::shared_ptr<const Schema>(other);
        });
    const auto found = difference(*parse("family = \"toy\""), right);
    std::vector<std::string> keys;
    for (const auto& row : found) keys.push_back(row.key + ":" + row.left + "|" + row.right);
    EXPECT_EQ(keys,
              (std::vector<std::string>{"data.tokenizer.kind:bpe|", "data.train:data/train.tsv|",
                                        "log.every:10|", "map.kind:|spline", "model.hidden:512|64",
                                        "model.tied:true|", "train.lr:0.0005|", "train.max_grad_norm:0|"}));
}

TEST(RunConfig, LoadNamesAMissingFileAndAFolder) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("kurve_config_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    EXPECT_EQ(RunConfig::load((folder / "no.toml").string(), lookup).error().text(),
              (folder / "no.toml").string() +
                  ": No such file or directory; name an experiment, a .toml file like those in experiments/");
    EXPECT_EQ(RunConfig::load(folder.string(), lookup).error().code, "io.open");
    std::ofstream(folder / "yes.toml") << "family = \"toy\"\n";
    EXPECT_TRUE(RunConfig::load((folder / "yes.toml").string(), lookup));
    std::filesystem::remove_all(folder);
}

TEST(ChoiceField, TakesTextsThatBeginRight) {
    const FieldSpec field =
        choiceField("model.noise", "sqrt", {"sqrt", "cosine"}, "schedule").orPrefixes({"file:", "free:"});
    EXPECT_EQ(*parseFieldValue(field, "file:schedules/a.toml"),
              FieldValue(std::string("file:schedules/a.toml")));
    EXPECT_EQ(*parseFieldValue(field, "free:0=1,1=0"), FieldValue(std::string("free:0=1,1=0")));
    EXPECT_TRUE(parseFieldValue(field, "cosine"));
    for (const char* wrong : {"file:", "File:a", "cosin", ""}) {
        const auto value = parseFieldValue(field, wrong);
        ASSERT_FALSE(value) << wrong;
        EXPECT_EQ(value.error().code, "config.bad_choice");
        EXPECT_NE(value.error().remedy.find("choose one of: sqrt, cosine, file:…, free:…"),
                  std::string::npos);
    }
    Schema schema{"toy", "Toy", "", {field}, {}};
    const auto back = schemaFromJson(nlohmann::json::parse(toJson(schema).dump()));
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->fields.front().prefixes, field.prefixes);
}

TEST(RunField, TakesTheNameOfARunWithOrWithoutACheckpoint) {
    const FieldSpec field = runField("model.base", "below").fits({"toy", kExactLikelihood});
    EXPECT_EQ(fieldValueText(field.fallback), "");
    EXPECT_FALSE(*parseRunReference(field, ""));
    const auto plain = parseRunReference(field, "20261121-153000-9f3a"),
               at = parseRunReference(field, "ae@400");
    ASSERT_TRUE(plain && *plain && at && *at);
    EXPECT_EQ((*plain)->run, "20261121-153000-9f3a");
    EXPECT_EQ((*plain)->checkpoint, "best");
    EXPECT_EQ((*at)->run + " " + (*at)->checkpoint, "ae 400");
    for (const char* text : {"@", "@400", "ae@", "ae@a@b", "../ae", "runs/ae", "ae@../4", ".ae", "a b"}) {
        const auto value = parseFieldValue(field, text);
        ASSERT_FALSE(value) << text;
        EXPECT_EQ(value.error().code, "config.bad_run");
        EXPECT_EQ(value.error().field, "model.base");
    }
    EXPECT_EQ(fieldValueText(*parseFieldValue(field, " ae@400 ")), "ae@400");

    Schema schema{"toy", "Toy", "", {field}, {}};
    schema.provides = {"dreams"};
    EXPECT_TRUE(schema.fits(field)) << "by its name";
    schema.family = "other";
    EXPECT_FALSE(schema.fits(field));
    EXPECT_TRUE(schema.fits(runField("model.any", "")));
    schema.provides.emplace_back(kExactLikelihood);
    EXPECT_TRUE(schema.fits(field)) << "by what it can do";
    const auto read = schemaFromJson(toJson(schema));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(read->fields[0].type == FieldType::Run && read->fits(field) &&
                read->fields[0].fitting == field.fitting);
}

TEST(SchemaJson, ReadsBackEqual) {
    auto schema = *exampleSchema();
    schema.fields.push_back(
        realField("model.wide", 1.0, "w").range(-std::numeric_limits<double>::infinity(), 2));
    const nlohmann::json json = toJson(schema);
    const auto back = schemaFromJson(nlohmann::json::parse(json.dump()));
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(toJson(*back), json);
    EXPECT_EQ(
        json["fields"][3],
        nlohmann::json::parse(R"({"key":"model.hidden","type":"integer","default":512,"min":8.0,"max":8192.0,
                "choices":[],"unit":"dims","doc":"width","source":"4.2","affects_result":true,"live":false,
                "optional":false})"));
    EXPECT_EQ(json["fields"].back()["min"], "-inf");
}

TEST(SchemaJson, DamageIsAnErrorValue) {
    for (
        const char* text :
        {"{}", "[]", "3", R"({"id":"a","title":"","paper":"","fields":[{}],"presets":[]})",
         R"({"id":"a","title":"","paper":"","fields":[],"presets":[{"name":"p","doc":"","values":{"x":1}}]})"}) {
        const auto schema = schemaFromJson(nlohmann::json::parse(text));
        ASSERT_FALSE(schema) << text;
        EXPECT_EQ(schema.error().code, "config.schema");
    }
}

}  // namespace
}  // namespace kurve
