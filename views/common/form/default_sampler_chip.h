#pragma once

#include <QFrame>
#include <QMap>

#include "views/common/shell/panel.h"

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
    DefaultSamplerChip(const StudioContext& context, const QString& name);
    /// Null: no run, or it has not been read yet.
    void show(const QString& run, const RunData* maybeData);
    /// As its button: clears the default sampler, or restores the cleared one.
    void trigger();

private:
    void update();

    StudioContext context_;
    QString run_, problem_;
    QMap<QString, QString> settings_, cleared_;
    QLabel* text_;
    QToolButton* button_;
};

}  // namespace kurve::views
