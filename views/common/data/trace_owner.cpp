#include "views/common/data/trace_owner.h"

#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"

namespace kurve::views {

qint64 trainedSteps(const trace::Trace& trace) {
    bool number = false;
    const qint64 step = QString::fromStdString(trace.metaText("checkpoint_step")).toLongLong(&number);
    return number ? step : -1;
}

TraceOwner ownerOf(const trace::Trace& shown, const StudioContext& context) {
    const QString id = QString::fromStdString(shown.metaText("run"));
    if (id.isEmpty()) return {};
    TraceOwner owner{context.catalog != nullptr ? context.catalog->nameOf(id) : id, true};
    if (const qint64 step = trainedSteps(shown); step >= 0)
        owner.text = QObject::tr("%1, step %2").arg(owner.text, countText(step));
    const QStringList chosen = context.selection->runs();
    owner.selected = chosen.isEmpty() || chosen.contains(id);
    return owner;
}

}  // namespace kurve::views
