#pragma once

#include <QFrame>
#include <QMap>

class QLabel;
class QToolButton;

namespace kurve::views {

struct RunData;

/// "steps 8, noise factor 2", as people read sampler.* settings.
[[nodiscard]] QString samplerText(const QMap<QString, QString>& settings);

/// Says that a run decodes with a default sampler of its own (store::defaultSampler) and drops it; what was
/// dropped can be put back until another run is shown. Hidden where there is nothing to say.
class DefaultSamplerChip : public QFrame {
    Q_OBJECT
public:
    /// `name`: of the form, for object names.
    explicit DefaultSamplerChip(const QString& name, QWidget* parent = nullptr);
    /// Null: no run, or it has not been read yet.
    void show(const QString& run, const RunData* maybeData);
    /// As its button: drops the default; if it has just been dropped, puts it back.
    void trigger();

Q_SIGNALS:
    /// The settings that are to be the run's default from now on; empty: its own hold again.
    void wanted(const QString& run, const QMap<QString, QString>& settings);

private:
    void update();

    QString run_, problem_;
    QMap<QString, QString> settings_, dropped_;
    QLabel* text_;
    QToolButton* button_;
};

}  // namespace kurve::views
