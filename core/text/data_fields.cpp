#include "core/text/dataset.h"
#include "core/text/tokenizer.h"

namespace kurve::text {

std::vector<FieldSpec> dataFields() {
    return {
        choiceField("data.kind", "pairs", {"pairs", "text", "documents"},
                    "what one example is: a source with its target, a text alone, or a document in sentences")
            .neutralByDefault(),
        choiceField("data.format", "lines", {"lines", "running", "documents"},
                    "of text, lines: every line is one example; running: the lines follow each other, </s> "
                    "behind each, in blocks of data.block tokens, and what is left over is dropped; "
                    "documents: every document is one, its lines with a space between them. Of documents, "
                    "lines: every line is a sentence; running: their text is cut into sentences")
            .from("MDLM's code, dataloader.py: wrap false and true")
            .neutralByDefault(),
        integerField("data.block", 128, "length of a block of running text; <s> and </s> at its ends count")
            .range(4, 65536)
            .unit("tokens")
            .from("MDLM's code, configs: 128 for LM1B, 1024 for OpenWebText")
            .neutralByDefault(),
        integerField("data.sentence_cap", kSentenceCap,
                     "longest sentence of a document: a longer one is cut at marks, commas or spaces")
            .range(8, 4096)
            .unit("characters")
            .from("LCM, section 2.2")
            .neutralByDefault(),
        integerField("data.max_sentences", 128, "longer documents are cut into several")
            .range(2, 4096)
            .unit("sentences")
            .from("LCM's code, recipes: documents are wrapped at 128 concepts")
            .neutralByDefault(),
        textField("data.prompt_end", "",
                  "of documents in lines: the line that ends a document's prompt; what stands behind it is "
                  "the answer, and only that is predicted. Empty: all of it is. Of texts: where eval has "
                  "them continued; all of them is predicted")
            .from("LCM's code: [MODEL]:")
            .neutralByDefault(),
        textField("data.end_sentence", "",
                  "the sentence put behind every document, for a model to know the end by; empty: none")
            .from("LCM, section 3.1: End of response.; of pretraining, End of text.")
            .neutralByDefault(),
        textField("data.train", "data/train.tsv",
                  "training pairs: a TSV, a *.jsonl with src and trg in each line, or the source lines if "
                  "data.train_target is set; with data.kind text: lines, or the targets of a TSV or *.jsonl; "
                  "with documents: lines, an empty one behind each document"),
        flagField("data.distilled", false,
                  "train on what a teacher wrote for the sources of data.train (data.distilled_train). "
                  "Tokenizer, validation and test stay those of the original pairs")
            .from("Isotropy-enhanced CMLM, section 4.1"),
        textField("data.distilled_train", "",
                  "with data.distilled: the corpus that kurve distil made, data/NAME.train.tsv"),
        textField("data.valid", "data/valid.tsv", "validation pairs, never trained on"),
        textField("data.test", "", "test pairs for eval; may be left empty"),
        textField("data.train_target", "",
                  "target lines of the training pairs, line by line; empty: data.train is a TSV"),
        textField("data.valid_target", "", "target lines of the validation pairs"),
        textField("data.test_target", "", "target lines of the test pairs"),
        textField(
            "data.prompts", "",
            "the fixed prompts that are sampled at each evaluation: a TSV; with data.kind text a prefix, "
            "or a text with blanks “[MASK]”, in each line. Empty: the first of data.valid, of text "
            "samples without a prompt")
            .reportingOnly(),
        integerField("data.source_column", 1, "column of the TSV that holds the source").range(1, 64),
        integerField("data.target_column", 2, "column of the TSV that holds the target").range(1, 64),
        flagField("data.same_language", false,
                  "source and target share a language: eval also scores copying the source")
            .reportingOnly(),
        integerField("data.max_length", 64,
                     "pairs with a longer side are left out and counted; <s> and </s> count")
            .range(4, 4096)
            .unit("tokens"),
        choiceField("data.tokenizer.kind", "bpe",
                    {"bpe", "unigram", "word", "whitespace", "character", "byte"},
                    "bpe, unigram and character (code points) are SentencePiece's; byte has the 256 bytes; "
                    "published:NAME is one that kurve data tokenizer import made, to which the other "
                    "data.tokenizer fields do not apply")
            .orPrefixes({kPublishedPrefix}),
        integerField(
            "data.tokenizer.vocabulary", 2000,
            "tokens, the five specials included; for word, whitespace and character the largest number, "
            "for byte always 261")
            .range(kMinVocabularySize, 256000)
            .unit("tokens"),
        integerField("data.tokenizer.sample", 16,
                     "the most text that a tokenizer is trained on: of a larger training split every n-th "
                     "example is taken")
            .range(1, 4096)
            .unit("MB")
            .neutralByDefault(),
        flagField("data.tokenizer.joint", true, "one tokenizer for both sides"),
        flagField("data.tokenizer.lower_case", false, "lower-case the text before everything else"),
        realField("data.tokenizer.coverage", 1.0,
                  "fraction of the text's characters that get a token; the rest becomes <unk>")
            .range(0.5, 1),
    };
}

}  // namespace kurve::text
