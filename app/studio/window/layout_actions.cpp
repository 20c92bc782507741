#include "app/studio/window/layout_actions.h"

namespace kurve::studio {

using views::CommandRegistry;

LayoutActions::LayoutActions(LayoutStore& store, Palette& palette, const store::Project& project)
    : store_(store), palette_(palette), layouts_(project.folder() / "layouts") {}

void LayoutActions::addCommands(CommandRegistry& commands) {
    const QString menu = tr("Window");
    commands.add({"layout.save", tr("Save layout…"), menu, {}, tr("Save the panel layout under a name")},
                 [this] { askName(); });
    commands.add(
        {"layout.apply", tr("Apply layout…"), menu, {}, tr("Choose a saved layout of this project")},
        [this] { choose(tr("Layout to apply"), [this](const NamedLayout& layout) { apply(layout); }); });
    commands.add({"layout.rename", tr("Rename layout…"), menu, {}, tr("Rename a saved layout")}, [this] {
        choose(tr("Layout to rename"), [this](const NamedLayout& layout) { askNewName(layout); });
    });
    commands.add(
        {"layout.delete", tr("Delete layout…"), menu, {}, tr("Delete the file of a saved layout")}, [this] {
            choose(tr("Layout to delete"), [this](const NamedLayout& layout) { askDeletion(layout); });
        });
}

void LayoutActions::askName() {
    palette_.ask(tr("Layout name"), {}, [this](const QString& name) { save(name); });
}

void LayoutActions::save(const QString& name) {
    tell(layouts_.save(name, store_.arrangement()),
         tr("Saved as layout “%1” in the project's layouts folder.").arg(name));
}

void LayoutActions::apply(const NamedLayout& layout) {
    const bool fits = layout.problem.isEmpty() && store_.apply(layout.arrangement);
    const QString why = layout.problem.isEmpty() ? tr("it is damaged") : layout.problem;
    Q_EMIT said(fits ? tr("Applied layout “%1”.").arg(layout.name)
                     : tr("The layout “%1” cannot be applied: %2 (%3).")
                           .arg(layout.name, why, QString::fromStdString(layout.file.string())));
}

void LayoutActions::choose(const QString& prompt, const std::function<void(const NamedLayout&)>& then) {
    std::vector<Palette::Item> items;
    for (const NamedLayout& layout : layouts_.list())
        items.push_back({layout.name, layout.problem, QString::fromStdString(layout.file.filename().string()),
                         layout.name, [then, layout] { then(layout); }});
    if (items.empty()) return Q_EMIT said(tr("No saved layouts; use Window > Save layout…."));
    palette_.choose(prompt, std::move(items));
}

void LayoutActions::askNewName(const NamedLayout& layout) {
    if (!layout.problem.isEmpty()) return apply(layout);  // says what is wrong with it
    palette_.ask(tr("New name of “%1”").arg(layout.name), layout.name, [this, layout](const QString& name) {
        tell(layouts_.rename(layout, name), tr("Renamed layout “%1” to “%2”.").arg(layout.name, name));
    });
}

void LayoutActions::askDeletion(const NamedLayout& layout) {
    const auto remove = [this, layout] {
        tell(layouts_.remove(layout), tr("Deleted layout “%1”.").arg(layout.name));
    };
    palette_.choose(tr("Delete layout “%1”? This cannot be undone.").arg(layout.name),
                    {{tr("Cancel"), {}, {}, tr("Cancel"), {}},
                     {tr("Delete “%1”").arg(layout.name),
                      QString::fromStdString(layout.file.string()),
                      {},
                      tr("Delete"),
                      remove}});
}

void LayoutActions::tell(const Status& status, const QString& done) {
    Q_EMIT said(status ? done : QString::fromStdString(status.error().text()));
}

}  // namespace kurve::studio
