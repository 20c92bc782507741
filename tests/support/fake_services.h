#pragma once

#include "views/common/services/draft_form.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/panel.h"

namespace kurve::test {

/// The studio of a panel under test: notes what the panel asks for.
struct FakeServices : views::Studio, views::Traces, views::PromptBar, views::DraftForm {
    void offerTo(const views::StudioContext& context) {
        context.services->offer<views::Studio>(*this);
        context.services->offer<views::Traces>(*this);
        context.services->offer<views::PromptBar>(*this);
        context.services->offer<views::DraftForm>(*this);
        context.services->offer<views::Prompts>(prompts);
    }
    void reveal(const QString& panel) override { shown << panel; }
    void goTo(const QString& panel) override { shown << panel; }
    void open(const QString& run, const QString& file) override { opened << run + ' ' + file; }
    void replace(const QString& run, const QString& file) override { replaced << run + ' ' + file; }
    void openBeside(const QString& run, const QString& file) override { beside << run + ' ' + file; }
    void tryText(const QString& text, const QString& reference) override { tried << text << reference; }
    void run() override { ++runs; }
    std::function<void()> useSettings(const QMap<QString, QString>& values) override {
        settings = values;
        return [] {};
    }
    void useSchedule(const QString& schedule, const QMap<QString, QString>& parameters) override {
        schedules << schedule;
        settings = parameters;
    }

    struct Prompts : views::Prompts {
        views::PromptRequest requestOf(const trace::Trace& trace) const override {
            of = &trace;
            return {};
        }
        void request(const views::PromptRequest& request) override { requests.push_back(request); }
        void repeat(views::PromptRequest request, const QString&) override { requests.push_back(request); }
        void branch(const trace::Trace&, int step, const QString& edits) override {
            branchStep = step;
            branches << edits;
        }
        void cancel() override { ++cancelled; }
        void say(const views::PromptStatus& status) {
            status_ = status;
            Q_EMIT statusChanged(status);
        }

        void answer(const QString& run, const views::PromptAnswer& answer) {
            status_.runId = run;
            Q_EMIT answered(answer);
        }

        mutable const trace::Trace* of = nullptr;
        std::vector<views::PromptRequest> requests;
        int branchStep = -1, cancelled = 0;
        QStringList branches;
    } prompts;
    QStringList shown, opened, replaced, beside, tried, schedules;
    QMap<QString, QString> settings;
    int runs = 0;
};

}  // namespace kurve::test
