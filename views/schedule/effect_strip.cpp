#include "views/schedule/effect_strip.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <cmath>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

constexpr int kDraws = 8;
constexpr std::size_t kMostWords = 24;  // more do not fit into the strip

QString plain(const std::string& token) {
    return QString::fromStdString(token).replace(QStringLiteral("▁"), QStringLiteral(" "));
}

}  // namespace

EffectStrip::EffectStrip(const StudioContext& context, QWidget* parent)
    : QFrame(parent),
      choice_(describe(new QComboBox, "schedule.effect.sentence", tr("Sentence of the selected run"),
                       {.letters = 14})),
      note_(describe(new QLabel, "schedule.effect.note", {.role = "caption", .wraps = true})),
      grid_(new QGridLayout),
      effects_(
          [](const Request& request) {
              return schedule::effectOf(*request.schedule.make(), request.sentence, schedule::effectTimes(),
                                        kDraws);
          },
          [this](std::vector<schedule::EffectRow> rows) { take(std::move(rows)); }),
      written_(new WrittenEffect(context, this)) {
    describe(this, "schedule.effect", {.role = "card"});
    auto* title = describe(new QLabel(tr("Sentence under this noise")), {.role = "title"});
    auto* column = vboxIn(this, {wrapBox({title, Stretch{}, choice_})}, {.margins = {10, 7}, .spacing = 3});
    grid_->setHorizontalSpacing(px(space::kSmall));
    grid_->setVerticalSpacing(px(1));
    grid_->setColumnStretch(2, 1);
    for (std::size_t i = 0; i < schedule::effectTimes().size(); ++i) {
        const int row = static_cast<int>(i);
        Line line{new QLabel, describe(new QLabel, QStringLiteral("schedule.effect.survival.%1").arg(row)),
                  describe(new QLabel, {.shrinks = true})};
        int cell = 0;
        for (QLabel* label : {line.time, line.fraction, line.text}) {
            label->setTextFormat(Qt::RichText);
            label->setFont(smallFont());
            grid_->addWidget(label, row, cell++);
        }
        lines_.push_back(line);
    }
    column->addLayout(grid_);
    column->addWidget(note_);
    column->addStretch(1);
    connect(choice_, &QComboBox::currentIndexChanged, this, &EffectStrip::load);
    connect(written_, &WrittenEffect::answered, this, [this](const std::vector<schedule::EffectRow>& rows) {
        note_->setText(
            tr("What the decoder writes from the sentence's vector under this noise; words that "
               "are not where they were are underlined."));
        take(rows);
    });
    connect(written_, &WrittenEffect::failed, this, [this](const QString& why) {
        note_->setText(why);
        take({});
    });
    onThemeChange(this, &EffectStrip::showRows);
    lines_.front().text->installEventFilter(this);
    setRun(nullptr, {});
}

void EffectStrip::setRun(const store::Project* project, const std::vector<TraceEntry>& traces,
                         const std::optional<TextDecoder>& maybeDecoder) {
    const bool same = project == project_ && !traces_.empty() && maybeDecoder == decoder_ &&
                      std::equal(traces.begin(), traces.end(), traces_.begin(), traces_.end(),
                                 [](const auto& a, const auto& b) { return a.file == b.file; });
    if (same) return;
    project_ = project;
    traces_ = traces;
    decoder_ = maybeDecoder;
    {
        const QSignalBlocker quiet(choice_);
        choice_->clear();
        for (const TraceEntry& entry : traces) choice_->addItem(entry.title);
    }
    choice_->setVisible(!traces.empty());
    load();
}

void EffectStrip::setSchedule(const schedule::LabSchedule& schedule) {
    if (schedule == schedule_) return;
    schedule_ = schedule;
    requestRows();
}

void EffectStrip::load() {
    reading_.drop();
    written_->stop();
    loaded_ = {};
    const int index = choice_->currentIndex();
    if (index < 0 || (project_ == nullptr && !decoder_)) {
        note_->setText(tr("Select a run with traces to see its sentences under this noise."));
        return take({});
    }
    take({});
    if (decoder_) return requestRows();
    note_->setText(tr("Reading embeddings…"));
    reading_.run([project = project_,
                  file = traces_[static_cast<std::size_t>(index)].file] { return read(*project, file); },
                 [this](Loaded loaded) {
                     loaded_ = std::move(loaded);
                     note_->setText(loaded_.note);
                     requestRows();
                 });
}

EffectStrip::Loaded EffectStrip::read(const store::Project& project, const std::filesystem::path& file) {
    Loaded out;
    auto trace = trace::readTrace(file);
    if (!trace) {
        out.note = QString::fromStdString(trace.error().text());
        return out;
    }
    out.trace = std::make_shared<const trace::Trace>(std::move(*trace));
    auto whole = trace::Vocabulary::load(trace::vocabularySourceOf(project, *out.trace), *out.trace);
    out.vocabulary = whole ? *whole : trace::Vocabulary::recorded(*out.trace);
    if (!out.vocabulary) {
        out.note = tr("This trace has no embeddings.");
        return out;
    }
    for (int position = 0; position < out.trace->positions && out.sentence.rows.size() < kMostWords;
         ++position) {
        const int last = out.trace->steps - 1;
        const std::uint32_t token = out.trace->tokenAt(last, position);
        const bool special = out.trace->textOf(token).starts_with("<");
        const int row = out.vocabulary->rowOf(token);
        if (row < 0 || special || out.trace->stateAt(last, position) == trace::TokenState::Pad) continue;
        out.sentence.rows.push_back(row);
    }
    // The table lives in the vocabulary.
    out.sentence.table = {out.vocabulary, &out.vocabulary->table()};
    out.note = whole ? tr("Nearest among %1 tokens of the checkpoint; noise on each token's own vector.")
                           .arg(countText(out.vocabulary->size()))
                     : tr("Nearest among the %1 recorded candidates only: %2")
                           .arg(out.vocabulary->size())
                           .arg(QString::fromStdString(whole.error().message));
    return out;
}

void EffectStrip::requestRows() {
    const auto made = schedule_.make();
    if (decoder_) return requestWritten();
    if (!made || loaded_.sentence.rows.empty()) return take({});
    effects_.request({schedule_, loaded_.sentence});
}

/// The engine loads a model: only for somebody who looks.
void EffectStrip::requestWritten() {
    const int index = choice_->currentIndex();
    const auto made = schedule_.make();
    if (!isVisible() || !made || index < 0) return;
    const QString& text = traces_[static_cast<std::size_t>(index)].title;
    const QString refusal = made->maskProbability(0.5)
                                ? tr("A mask schedule adds no noise to a vector; choose another as A.")
                            : text.trimmed().isEmpty() ? tr("This trace has no prompt; choose another.")
                                                       : QString();
    if (!refusal.isEmpty()) {
        written_->stop();
        note_->setText(refusal);
        return take({});
    }
    if (rows_.empty()) note_->setText(tr("Loading the model…"));
    written_->ask(*decoder_, schedule_, text);
}

void EffectStrip::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    if (decoder_ && rows_.empty()) requestWritten();
}

QString EffectStrip::wordOf(int row) const {
    const std::uint32_t id = loaded_.vocabulary->id(row);
    const std::string& token = loaded_.vocabulary->token(id);
    if (!token.empty()) return plain(token);
    const auto found = loaded_.trace->tokenTexts.find(id);
    return found == loaded_.trace->tokenTexts.end() ? QStringLiteral(" #%1").arg(id) : plain(found->second);
}

void EffectStrip::take(std::vector<schedule::EffectRow> rows) {
    rows_ = std::move(rows);
    showRows();
}

std::vector<EffectStrip::Word> EffectStrip::wordsOf(const schedule::EffectRow& row) const {
    std::vector<Word> words;
    if (decoder_) {
        const QStringList written = spacedWords(QString::fromStdString(row.written));
        const auto kept = keptWords(spacedWords(choice_->currentText()), written);
        for (qsizetype k = 0; k < written.size(); ++k)
            words.push_back({QLatin1Char(' ') + written[k], kept[static_cast<std::size_t>(k)]});
        return words;
    }
    for (std::size_t k = 0; k < row.nearest.size(); ++k)
        words.push_back({row.nearest[k] < 0 ? QStringLiteral(" ▢") : wordOf(row.nearest[k]),
                         row.nearest[k] == loaded_.sentence.rows[k]});
    return words;
}

QString EffectStrip::richText(const std::vector<Word>& words, int maybeWidth) {
    const QFontMetrics metrics(smallFont());
    const QString ellipsis = QStringLiteral("…");
    QString html, sofar;
    for (const auto& [word, kept] : words) {
        sofar += word;
        if (maybeWidth >= 0 && metrics.horizontalAdvance(sofar.trimmed() + ellipsis) > maybeWidth)
            return html + ellipsis;
        // Underlined as well: the colour alone is not visible to everyone.
        html += kept ? word.toHtmlEscaped()
                     : QStringLiteral("%1<u style='color:%2'>%3</u>")
                           .arg(word.startsWith(QLatin1Char(' ')) ? QStringLiteral(" ") : QString(),
                                theme().bad.name(), word.toHtmlEscaped().trimmed());
    }
    return html.trimmed();
}

QString fractionText(const schedule::EffectRow& row) {
    const int error = qRound(100 * row.error);
    return QStringLiteral("<b>%1%2&nbsp;%</b>")
        .arg(qRound(100 * row.survival))
        .arg(error > 0 ? QStringLiteral("&nbsp;±&nbsp;%1").arg(error) : QString());
}

void EffectStrip::showRows() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const bool on =
            i < rows_.size() && (decoder_ || rows_[i].nearest.size() == loaded_.sentence.rows.size());
        for (QLabel* label : {lines_[i].time, lines_[i].fraction, lines_[i].text}) label->setVisible(on);
        if (!on) continue;
        const schedule::EffectRow& row = rows_[i];
        lines_[i].time->setText(QStringLiteral("t&nbsp;%1").arg(numberText(row.t, 2)));
        lines_[i].fraction->setText(fractionText(row));
        const QString level = tr("log-SNR %1").arg(numberText(row.logSnr, 3));
        lines_[i].fraction->setToolTip(row.draws > 0 ? tr("%1; mean of %2 of noise ± its standard error")
                                                           .arg(level, countedText(row.draws, tr("draw")))
                                                     : level);
        const auto words = wordsOf(row);
        lines_[i].text->setText(richText(words, lines_.front().text->width()).trimmed());
        lines_[i].text->setToolTip(richText(words, -1));  // what does not fit
    }
}

// The layout that gives the lines their width must be over before they get other texts.
bool EffectStrip::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize)
        QMetaObject::invokeMethod(this, &EffectStrip::showRows, Qt::QueuedConnection);
    return QFrame::eventFilter(watched, event);
}

}  // namespace kurve::views
