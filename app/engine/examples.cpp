#include "app/engine/examples.h"

#include <array>
#include <map>
#include <string>

namespace kurve::engine {
namespace {

/// By the command's words; "" is the program itself.
const std::map<std::string, std::array<const char*, 2>>& examples() {
    static const std::map<std::string, std::array<const char*, 2>> table{
        {"", {"kurve new my-project", "kurve train restore-sclm --project my-project --max-steps 500"}},
        {"new", {"kurve new my-project", "kurve new my-project --template blank"}},
        {"describe", {"kurve describe families sclm", "kurve describe metrics --json"}},
        {"data",
         {"kurve data stats data/letters.train.tsv data/letters.valid.tsv",
          "kurve data import letters --train letters.tsv --valid-pairs 500"}},
        {"data stats",
         {"kurve data stats data/letters.train.tsv data/letters.valid.tsv",
          "kurve data stats --parallel train.de train.en --max-length 64"}},
        {"data import",
         {"kurve data import letters --train letters.tsv --valid-pairs 500 --test-pairs 500",
          "kurve data import news --train train.de --train-target train.en --check"}},
        {"data tokenize",
         {"echo 'in the beginning' | kurve data tokenize --run my-run",
          "echo 'in the beginning' | kurve data tokenize --tokenizer 3f2a9c0b1d77 --json"}},
        {"data tokenizer import",
         {"kurve data tokenizer import bert-base-uncased",
          "kurve data tokenizer import gpt2.tiktoken --name gpt2"}},
        {"train",
         {"kurve train restore-sclm --max-steps 500",
          "kurve train experiments/restore-sclm.toml --set train.lr=5e-4 --seed 2"}},
        {"follow", {"kurve follow my-run", "kurve follow my-run --machine gpu --no-checkpoints"}},
        {"fetch", {"kurve fetch my-run best", "kurve fetch my-run checkpoints/step-00004000 traces"}},
        {"machines", {"kurve machines check gpu", "kurve machines runs gpu --json"}},
        {"serve", {"ssh gpu kurve serve --stdio", "kurve serve --stdio < requests.jsonl"}},
        {"resume", {"kurve resume my-run", "kurve resume my-run --checkpoint best --max-steps 20000"}},
        {"fork",
         {"kurve fork my-run --run lower-lr --set train.lr=1e-4",
          "kurve fork my-run --checkpoint 4000 --set sampler.steps=8"}},
        {"reproduce", {"kurve reproduce my-run", "kurve reproduce my-run --steps 100"}},
        {"checkpoints",
         {"kurve checkpoints my-run --pin best", "kurve checkpoints my-run --keep-last 1 --prune"}},
        {"sample",
         {"kurve sample my-run --input 'in the beginning'",
          "kurve sample my-run --inputs sources.txt --set sampler.steps=8 --json"}},
        {"default-sampler",
         {"kurve default-sampler my-run --set sampler.steps=8", "kurve default-sampler my-run --clear"}},
        {"trace",
         {"kurve trace my-run --input 'in the beginning' --what latent,curve",
          "kurve trace my-run --branch-of my-trace --step 5 "
          "--edit '{\"kind\":\"force\",\"position\":2,\"token\":\"lay\"}'"}},
        {"eval",
         {"kurve eval my-run --split test --checkpoint avg5 --save",
          "kurve eval my-run --metrics bleu,mauve --scorer my-transformer --limit 200"}},
        {"dependence",
         {"kurve dependence my-ngram", "kurve dependence my-ngram --split test --noise 0.2 --json"}},
        {"distil", {"kurve distil my-run", "kurve distil my-run --checkpoint avg5 --name letters-kd"}},
        {"sweep",
         {"kurve sweep my-run --grid sampler.steps=4,8,16 --grid sampler.noise_beam=1,4",
          "kurve sweep my-run --grid sampler.temperature=0.2..1:0.2 --seeds 5 --estimate"}},
        {"score",
         {"kurve score bleu --hyp outputs.txt --ref references.txt",
          "kurve score ppl --run my-run --src sources.txt --hyp outputs.txt --per-token --json"}},
        {"spline",
         {"kurve spline --length 12 --control-points 24 --degree 3", "kurve spline --length 50 --grid"}},
        {"schedule",
         {"kurve schedule sqrt --steps 20", "kurve schedule free:0=12,0.5=0,1=-12 --at 0.1,0.5,0.9 --json"}},
        {"law",
         {"kurve law temperature-exact --probabilities 0.5,0.3,0.2 --temperature 0.4",
          "kurve law temperature-batch --probabilities 0.5,0.3,0.2 --temperature 1/2 --samples 10"}},
        {"law temperature-exact",
         {"kurve law temperature-exact --probabilities 0.5,0.3,0.2 --temperature 0.4",
          "kurve law temperature-exact --probabilities 0.6,0.4 --temperature 1/3 --draws 20000 --json"}},
        {"law temperature-batch",
         {"kurve law temperature-batch --probabilities 0.5,0.3,0.2 --temperature 1/2 --samples 10",
          "kurve law temperature-batch --probabilities 0.6,0.4 --temperature 1/4 --samples 200 --draws 5000 "
          "--json"}},
        {"runs", {"kurve runs", "kurve runs --filter 'valid_bleu>20 tag:good' --json"}},
        {"query",
         {"kurve query --sql 'SELECT id, state, step FROM runs'",
          "kurve query --run my-run --sql \"SELECT step, value FROM points WHERE metric = 'loss'\""}},
        {"export",
         {"kurve export my-run --what scalars --format csv --out scalars.csv",
          "kurve export my-run other-run --what report --out report.html"}},
        {"import", {"kurve import events --format tfevents", "kurve import log.csv --name baseline"}},
        {"import-model",
         {"kurve import-model mdlm-owt", "kurve import-model mdlm-lm1b --tokenizer vocab.txt --run lm1b"}},
        {"import-encoder",
         {"kurve import-encoder all-MiniLM-L6-v2 --run minilm",
          "kurve import-encoder bge-small --tokenizer vocab.txt --json"}},
        {"data vectors",
         {"kurve data vectors minilm-concept", "kurve data vectors --run minilm --json < sentences.txt"}},
        {"verify", {"kurve verify", "kurve verify my-run --thorough"}},
        {"bench", {"kurve bench logging", "kurve bench replicas --rounds 15 --json"}},
        {"demo", {"kurve demo --headless", "kurve demo --headless --max-steps 200 --json"}},
        {"completion", {"kurve completion bash", "kurve completion zsh > _kurve"}},
    };
    return table;
}

void addExamples(CLI::App& app, const std::string& words) {
    for (CLI::App* sub : app.get_subcommands({}))
        addExamples(*sub, words + (words.empty() ? "" : " ") + sub->get_name());
    if (const auto found = examples().find(words); found != examples().end())
        app.footer(std::string("Examples:\n  ") + found->second[0] + "\n  " + found->second[1]);
}

}  // namespace

void addExamples(CLI::App& app) {
    addExamples(app, "");
}

}  // namespace kurve::engine
