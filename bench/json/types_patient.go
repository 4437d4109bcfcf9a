package json

import "time"

// patient is synthea_fhir.json: a made-up patient's file, with its names of FHIR.
type patient struct {
	Entry []struct {
		FullURL string `json:"fullUrl"`
		Request struct {
			Method string `json:"method"`
			URL    string `json:"url"`
		} `json:"request"`
		Resource struct {
			AbatementDateTime time.Time `json:"abatementDateTime"`
			AchievementStatus *status   `json:"achievementStatus"`
			Active            bool      `json:"active"`
			Activity          []struct {
				Detail struct {
					Code     concept `json:"code"`
					Location label   `json:"location"`
					Status   string  `json:"status"`
				} `json:"detail"`
			} `json:"activity"`
			Address []struct {
				City      string `json:"city"`
				Country   string `json:"country"`
				Extension []struct {
					Extension []struct {
						URL          string  `json:"url"`
						ValueDecimal float64 `json:"valueDecimal"`
					} `json:"extension"`
					URL string `json:"url"`
				} `json:"extension"`
				Line       []string `json:"line"`
				PostalCode string   `json:"postalCode"`
				State      string   `json:"state"`
			} `json:"address"`
			Addresses      []reference `json:"addresses"`
			AuthoredOn     time.Time   `json:"authoredOn"`
			BillablePeriod *period     `json:"billablePeriod"`
			BirthDate      string      `json:"birthDate"`
			CareTeam       []struct {
				Provider  *reference `json:"provider"`
				Reference string     `json:"reference"`
				Role      *category  `json:"role"`
				Sequence  int64      `json:"sequence"`
			} `json:"careTeam"`
			Category       []concept    `json:"category"`
			Claim          *reference   `json:"claim"`
			Class          *shortCoding `json:"class"`
			ClinicalStatus *status      `json:"clinicalStatus"`
			Code           *concept     `json:"code"`
			Communication  []struct {
				Language concept `json:"language"`
			} `json:"communication"`
			Component []struct {
				Code          concept     `json:"code"`
				ValueQuantity measurement `json:"valueQuantity"`
			} `json:"component"`
			Contained []struct {
				Beneficiary  *reference  `json:"beneficiary"`
				ID           string      `json:"id"`
				Intent       string      `json:"intent"`
				Payor        []label     `json:"payor"`
				Performer    []reference `json:"performer"`
				Requester    *reference  `json:"requester"`
				ResourceType string      `json:"resourceType"`
				Status       string      `json:"status"`
				Subject      *reference  `json:"subject"`
				Type         *text       `json:"type"`
			} `json:"contained"`
			Created          time.Time `json:"created"`
			DeceasedDateTime time.Time `json:"deceasedDateTime"`
			Description      *text     `json:"description"`
			Diagnosis        []struct {
				DiagnosisReference reference `json:"diagnosisReference"`
				Sequence           int64     `json:"sequence"`
				Type               []status  `json:"type"`
			} `json:"diagnosis"`
			DosageInstruction []struct {
				AsNeededBoolean bool `json:"asNeededBoolean"`
				DoseAndRate     []struct {
					DoseQuantity struct {
						Value float64 `json:"value"`
					} `json:"doseQuantity"`
					Type category `json:"type"`
				} `json:"doseAndRate"`
				Sequence int64 `json:"sequence"`
				Timing   *struct {
					Repeat struct {
						Frequency  int64   `json:"frequency"`
						Period     float64 `json:"period"`
						PeriodUnit string  `json:"periodUnit"`
					} `json:"repeat"`
				} `json:"timing"`
			} `json:"dosageInstruction"`
			EffectiveDateTime time.Time  `json:"effectiveDateTime"`
			Encounter         *reference `json:"encounter"`
			Extension         []struct {
				Extension []struct {
					URL         string  `json:"url"`
					ValueCoding *coding `json:"valueCoding"`
					ValueString string  `json:"valueString"`
				} `json:"extension"`
				URL          string `json:"url"`
				ValueAddress *struct {
					City    string `json:"city"`
					Country string `json:"country"`
					State   string `json:"state"`
				} `json:"valueAddress"`
				ValueCode    string  `json:"valueCode"`
				ValueDecimal float64 `json:"valueDecimal"`
				ValueString  string  `json:"valueString"`
			} `json:"extension"`
			Gender     string      `json:"gender"`
			Goal       []reference `json:"goal"`
			ID         string      `json:"id"`
			Identifier []struct {
				System string   `json:"system"`
				Type   *concept `json:"type"`
				Use    string   `json:"use"`
				Value  string   `json:"value"`
			} `json:"identifier"`
			Insurance []struct {
				Coverage person `json:"coverage"`
				Focal    bool   `json:"focal"`
				Sequence int64  `json:"sequence"`
			} `json:"insurance"`
			Insurer *label    `json:"insurer"`
			Intent  string    `json:"intent"`
			Issued  time.Time `json:"issued"`
			Item    []struct {
				Adjudication []struct {
					Amount   *amount  `json:"amount"`
					Category category `json:"category"`
				} `json:"adjudication"`
				Category                *category   `json:"category"`
				DiagnosisSequence       []int64     `json:"diagnosisSequence"`
				Encounter               []reference `json:"encounter"`
				InformationSequence     []int64     `json:"informationSequence"`
				LocationCodeableConcept *category   `json:"locationCodeableConcept"`
				Net                     *amount     `json:"net"`
				ProcedureSequence       []int64     `json:"procedureSequence"`
				ProductOrService        concept     `json:"productOrService"`
				Sequence                int64       `json:"sequence"`
				ServicedPeriod          *period     `json:"servicedPeriod"`
			} `json:"item"`
			LifecycleStatus           string    `json:"lifecycleStatus"`
			ManagingOrganization      []person  `json:"managingOrganization"`
			MaritalStatus             *concept  `json:"maritalStatus"`
			MedicationCodeableConcept *concept  `json:"medicationCodeableConcept"`
			MultipleBirthBoolean      bool      `json:"multipleBirthBoolean"`
			Name                      any       `json:"name"`
			NumberOfInstances         int64     `json:"numberOfInstances"`
			NumberOfSeries            int64     `json:"numberOfSeries"`
			OccurrenceDateTime        time.Time `json:"occurrenceDateTime"`
			OnsetDateTime             time.Time `json:"onsetDateTime"`
			Outcome                   string    `json:"outcome"`
			Participant               []struct {
				Individual *person   `json:"individual"`
				Member     *person   `json:"member"`
				Role       []concept `json:"role"`
			} `json:"participant"`
			Patient *person `json:"patient"`
			Payment *struct {
				Amount amount `json:"amount"`
			} `json:"payment"`
			PerformedPeriod *period    `json:"performedPeriod"`
			Period          *period    `json:"period"`
			Prescription    *reference `json:"prescription"`
			PrimarySource   bool       `json:"primarySource"`
			Priority        *status    `json:"priority"`
			Procedure       []struct {
				ProcedureReference reference `json:"procedureReference"`
				Sequence           int64     `json:"sequence"`
			} `json:"procedure"`
			Provider        *person    `json:"provider"`
			ReasonCode      []concept  `json:"reasonCode"`
			ReasonReference []person   `json:"reasonReference"`
			RecordedDate    time.Time  `json:"recordedDate"`
			Referral        *reference `json:"referral"`
			Requester       *person    `json:"requester"`
			ResourceType    string     `json:"resourceType"`
			Result          []person   `json:"result"`
			Series          []struct {
				BodySite coding `json:"bodySite"`
				Instance []struct {
					Number   int64       `json:"number"`
					SopClass shortCoding `json:"sopClass"`
					Title    string      `json:"title"`
					Uid      string      `json:"uid"`
				} `json:"instance"`
				Modality          coding    `json:"modality"`
				Number            int64     `json:"number"`
				NumberOfInstances int64     `json:"numberOfInstances"`
				Started           time.Time `json:"started"`
				Uid               string    `json:"uid"`
			} `json:"series"`
			ServiceProvider *person   `json:"serviceProvider"`
			Started         time.Time `json:"started"`
			Status          string    `json:"status"`
			Subject         *person   `json:"subject"`
			SupportingInfo  []struct {
				Category       status    `json:"category"`
				Sequence       int64     `json:"sequence"`
				ValueReference reference `json:"valueReference"`
			} `json:"supportingInfo"`
			Telecom []struct {
				System string `json:"system"`
				Use    string `json:"use"`
				Value  string `json:"value"`
			} `json:"telecom"`
			Text *struct {
				Div    string `json:"div"`
				Status string `json:"status"`
			} `json:"text"`
			Total                any          `json:"total"`
			Type                 any          `json:"type"`
			Use                  string       `json:"use"`
			VaccineCode          *concept     `json:"vaccineCode"`
			ValueCodeableConcept *concept     `json:"valueCodeableConcept"`
			ValueQuantity        *measurement `json:"valueQuantity"`
			VerificationStatus   *status      `json:"verificationStatus"`
		} `json:"resource"`
	} `json:"entry"`
	ResourceType string `json:"resourceType"`
	Type         string `json:"type"`
}

type coding struct {
	Code    string `json:"code"`
	Display string `json:"display"`
	System  string `json:"system"`
}

type concept struct {
	Coding []coding `json:"coding"`
	Text   string   `json:"text"`
}

type shortCoding struct {
	Code   string `json:"code"`
	System string `json:"system"`
}

type person struct {
	Display   string `json:"display"`
	Reference string `json:"reference"`
}

type period struct {
	End   time.Time `json:"end"`
	Start time.Time `json:"start"`
}

type status struct {
	Coding []shortCoding `json:"coding"`
}

type reference struct {
	Reference string `json:"reference"`
}

type category struct {
	Coding []coding `json:"coding"`
}

type amount struct {
	Currency string  `json:"currency"`
	Value    float64 `json:"value"`
}

type text struct {
	Text string `json:"text"`
}

type label struct {
	Display string `json:"display"`
}

type measurement struct {
	Code   string  `json:"code"`
	System string  `json:"system"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
}
