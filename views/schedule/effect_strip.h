#pragma once

#include <QFrame>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/schedule/lab_schedule.h"
#include "core/schedule/noise_effect.h"
#include "core/store/project.h"
#include "core/trace/vocabulary.h"
#include "views/common/data/background.h"
#include "views/common/data/latest.h"
#include "views/common/shell/panel.h"
#include "views/schedule/written_effect.h"

class QComboBox;
class QGridLayout;
class QLabel;

namespace kurve::views {

/// "74 ± 3 %", the fraction of tokens that survive with its standard error where that is half a percent or
/// more.
[[nodiscard]] QString fractionText(const schedule::EffectRow& row);

/// A sentence of the selected run under the noise of schedule A at seven times: which tokens are still the
/// nearest to themselves, by a trace and the embeddings of its checkpoint; or what a decoder of texts writes
/// from the noisy vector, by the engine.
class EffectStrip : public QFrame {
    Q_OBJECT
public:
    explicit EffectStrip(const StudioContext& context, QWidget* parent = nullptr);
    /// The run's traces, newest first: title and file. Reads one of them on a worker.
    struct TraceEntry {
        QString title;
        std::filesystem::path file;
    };
    void setRun(const store::Project* project, const std::vector<TraceEntry>& traces,
                const std::optional<TextDecoder>& maybeDecoder = std::nullopt);
    void setSchedule(const schedule::LabSchedule& schedule);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Loaded {
        schedule::EffectSentence sentence;
        std::shared_ptr<const trace::Vocabulary> vocabulary;
        std::shared_ptr<const trace::Trace> trace;  ///< names tokens that the vocabulary cannot
        QString note;
    };
    /// A word of a line, and whether the noise left it.
    struct Word {
        QString text;
        bool kept;
    };
    struct Request {
        schedule::LabSchedule schedule;
        schedule::EffectSentence sentence;
    };
    void load();
    [[nodiscard]] static Loaded read(const store::Project& project, const std::filesystem::path& file);
    void requestRows();
    void requestWritten();
    void take(std::vector<schedule::EffectRow> rows);
    void showRows();
    [[nodiscard]] std::vector<Word> wordsOf(const schedule::EffectRow& row) const;
    /// As many words as fit, then "…"; `maybeWidth` < 0: all.
    [[nodiscard]] static QString richText(const std::vector<Word>& words, int maybeWidth);
    [[nodiscard]] QString wordOf(int row) const;

    const store::Project* project_ = nullptr;
    std::vector<TraceEntry> traces_;
    std::optional<TextDecoder> decoder_;
    schedule::LabSchedule schedule_;
    Loaded loaded_;
    QComboBox* choice_;
    QLabel* note_;
    QGridLayout* grid_;
    struct Line {
        QLabel *time, *fraction, *text;
    };
    std::vector<Line> lines_;
    std::vector<schedule::EffectRow> rows_;
    Background reading_;
    Latest<Request, std::vector<schedule::EffectRow>> effects_;
    WrittenEffect* written_;
};

}  // namespace kurve::views
