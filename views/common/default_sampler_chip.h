#pragma once

#include <QFrame>
#include <QMap>

class QLabel;
class QToolButton;

namespace kurve::views {

struct RunData;

/// "steps 8, noise factor 2": sampler.* settings as text.
[[nodiscard]] QString samplerText(const QMap<QString, QString>& settings);

/// Shows the default sampler of a run (store::defaultSampler) and clears it; the cleared one can be restored
/// until another run is shown. Hidden without one.
class DefaultSamplerChip : public QFrame {
    Q_OBJECT
public:
    /// `name`: of the form, for object names.
    explicit DefaultSamplerChip(const QString& name, QWidget* parent = nullptr);
    /// Null: no run, or it has not been read yet.
    void show(const QString& run, const RunData* maybeData);
    /// As its button: clears the default sampler, or restores the cleared one.
    void trigger();

Q_SIGNALS:
    /// Sets the run's default sampler; empty: its own settings apply.
    void requested(const QString& run, const QMap<QString, QString>& settings);

private:
    void update();

    QString run_, problem_;
    QMap<QString, QString> settings_, cleared_;
    QLabel* text_;
    QToolButton* button_;
};

}  // namespace kurve::views
