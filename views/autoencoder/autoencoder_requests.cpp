// What the panel asks the engine, and what it does with the answers.
#include <QAbstractItemView>
#include <QTableWidget>
#include <limits>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/config/run_config.h"
#include "views/autoencoder/autoencoder_controls.h"
#include "views/autoencoder/autoencoder_panel.h"
#include "views/autoencoder/chunk_list_model.h"
#include "views/autoencoder/latent_plane.h"
#include "views/common/chart/line_chart.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/services/inference.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

/// The first lines of a run's validation split that are short enough to be one of its texts, whatever the
/// tokenizer; none where the file is not there.
std::vector<std::string> validationTexts(const std::filesystem::path& project, const RunConfig& config) {
    constexpr std::size_t kMostTexts = 16;  // some hundred chunks
    // A token has at least a byte; a word mark, <s> and </s> come on top.
    const auto longest = static_cast<std::size_t>(config.integer("data.max_length")) - 3;
    std::vector<std::string> texts;
    auto file = InputFile::open(project / config.text("data.valid"));
    std::string head(std::size_t{1} << 16, '\0');
    const Result<std::size_t> bytes = file ? file->read(head) : Result<std::size_t>(0);
    head.resize(bytes ? *bytes : 0);
    head.resize(head.rfind('\n') + 1);  // the last line may be cut
    for (const std::string& line : split(head, '\n'))
        if (texts.size() < kMostTexts && !trim(line).empty() && line.size() <= longest &&
            !firstInvalidUtf8(line))
            texts.push_back(line);
    return texts;
}

}  // namespace

void AutoencoderPanel::request() {
    if (isEmpty() || !isVisible()) return;
    asks_.request();
}

void AutoencoderPanel::showEvent(QShowEvent* event) {
    Panel::showEvent(event);
    request();
}

void AutoencoderPanel::reconstruct() {
    const QString text = controls_->text();
    if (text.trimmed().isEmpty()) return clear(tr("The text is empty; type one."));
    again_ = asking_;
    if (asking_) return;
    asking_ = true;
    if (answered_.isEmpty()) controls_->setResult(tr("Loading the model…"));
    nlohmann::json body{{"input", text.toStdString()},
                        {"seed", controls_->seed()},
                        {"sampler", {{"latent", "mean"}, {"noise", controls_->noise()}}}};
    // Of another text it is not known which chunks there are.
    if (text == answered_ && ends_[0] >= 0 && ends_[1] >= 0) body["between"] = ends_;
    ask<Inference>().ask(
        {run_, controls_->checkpoint(), "reconstruct", std::move(body)},
        [this, text, ticket = ticket_](const Result<nlohmann::json>& answer) {
            if (ticket == ticket_) take(answer, text);
        },
        this);
}

void AutoencoderPanel::take(const Result<nlohmann::json>& answer, const QString& text) {
    asking_ = false;
    if (controls_->text().trimmed().isEmpty()) return;  // the text was deleted meanwhile
    std::vector<Reconstruction> made;
    if (answer) made = reconstructionsIn(*answer);
    const bool sameText = text == answered_;
    answered_ = text;
    if (!answer)
        clear(QString::fromStdString(answer.error().text()));
    else if (!made.empty())
        showMade(std::move(made.front()), sameText);
    if (std::exchange(again_, false)) request();
}

void AutoencoderPanel::showMade(Reconstruction made, bool sameText) {
    const bool sameCount = made.chunks.size() == made_.chunks.size();
    made_ = std::move(made);
    model_->setChunks(made_.chunks);
    plane_->setChunks(made_.chunks);
    const double share = made_.tokens > 0 ? static_cast<double>(made_.right) / made_.tokens : 0;
    accuracy_->setReference(QStringLiteral("text"), share, tr("this text"));
    controls_->setResult(statement());
    if (!sameCount) setEnds(made_.chunks.size() > 1 ? std::array{0, 1} : std::array{-1, -1});
    if (!sameText && ends_[1] >= 0) request();  // what lies between the two of the new text
    showBetween(made_.between);
    if (!clouded_) askCloud();
}

void AutoencoderPanel::askCloud() {
    clouded_ = true;
    const auto data = context().catalog->data(run_);
    auto config = context().engine->recorded(data->value("config"));
    if (!config || context().project == nullptr) return;
    corpus_.run([project = context().project->folder(),
                 config = std::move(*config)] { return validationTexts(project, config); },
                [this](const std::vector<std::string>& texts) {
                    if (texts.empty()) return;
                    ask<Inference>().ask(
                        {run_, controls_->checkpoint(), "reconstruct", {{"input", texts}}},
                        [this, ticket = ticket_](const Result<nlohmann::json>& answer) {
                            if (!answer || ticket != ticket_) return;
                            std::vector<ReconstructedChunk> cloud;
                            for (const Reconstruction& one : reconstructionsIn(*answer))
                                cloud.insert(cloud.end(), one.chunks.begin(), one.chunks.end());
                            plane_->setCloud(std::move(cloud));
                        },
                        this);
                });
}

void AutoencoderPanel::clear(const QString& problem) {
    made_ = {};
    answered_.clear();
    model_->setChunks({});
    plane_->setChunks({});
    accuracy_->setReference(QStringLiteral("text"), std::numeric_limits<double>::quiet_NaN(), {});
    setEnds({-1, -1});
    showBetween({});
    if (problem.isEmpty())
        controls_->setResult({});
    else
        controls_->setProblem(problem);
}

// ---- between two chunks ----

// A click or an arrow is A; with Shift, B is where the selection was extended to.
void AutoencoderPanel::chooseEnds() {
    const int current = list_->currentIndex().row();
    const bool one = list_->selectionModel()->selectedIndexes().size() <= 1;
    if (current < 0) return;
    setEnds(one ? std::array{current, -1} : std::array{ends_[0], current});
}

void AutoencoderPanel::setEnds(std::array<int, 2> rows) {
    if (rows == ends_) return;
    ends_ = rows;
    model_->setEnds(rows);
    plane_->setEnds(rows);
    if (rows[0] >= 0 && rows[1] >= 0) return request();
    showBetween({});
}

void AutoencoderPanel::showBetween(const QStringList& texts) {
    const int count = static_cast<int>(texts.size());
    between_->setRowCount(count);
    for (int row = 0; row < count; ++row) {
        const double t = count > 1 ? row / (count - 1.0) : 0;
        between_->setItem(row, 0, new QTableWidgetItem(numberText(t, 3)));
        auto* text = new QTableWidgetItem(texts[row]);
        text->setFont(monoFont());
        between_->setItem(row, 1, text);
    }
}

}  // namespace kurve::views
